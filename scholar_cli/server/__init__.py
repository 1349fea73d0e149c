"""The library for other programs: tools for an assistant (MCP), and a small HTTP API."""
