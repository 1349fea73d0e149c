"""Work that goes on in a process of its own while its caller answers questions."""
