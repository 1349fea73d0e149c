"""Access to the network: one client with a cache, politeness and verified downloads."""
