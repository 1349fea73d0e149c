"""Quotation attribution: quotations, cues, and the speaker of each quotation."""
