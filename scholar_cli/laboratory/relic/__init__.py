"""Evidence retrieval: RELiC (Thai et al. 2022), its mining and retriever, pools of passages."""
