"""Language models on this machine and on servers, their answers, and a cache of these."""
