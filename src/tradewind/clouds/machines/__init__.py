"""Machines of one's own as a cloud: each is an account, and what is rented there is a share of its GPUs."""
