"""The agent's door: what the control plane asks of a host over one SSH session (``wire.door``), carried out there."""
