"""One command for Benanza's programs. It finds them, and the libraries that they measure; no more."""
