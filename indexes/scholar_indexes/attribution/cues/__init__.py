"""Cues of quotation attribution: evidence for the speaker in the adjacent narration."""
