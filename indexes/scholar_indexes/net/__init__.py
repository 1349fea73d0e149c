"""Network access: one client with a cache, pauses between requests and verified downloads."""
