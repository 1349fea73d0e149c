"""Evidence retrieval: RELiC (Thai et al. 2022), pools of passages, short claims."""
