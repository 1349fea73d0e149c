"""The journeys for other programs: tools of an assistant (MCP), and a small HTTP API."""
