"""Cues of quotation attribution: what the narration beside a quotation says of its speaker."""
