"""Quotation attribution: PDNC (Vishnubhotla et al. 2022)."""
