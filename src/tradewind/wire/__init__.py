"""What the agent, the training library and the control plane say to each other. Stdlib only, Python 3.8 up."""
