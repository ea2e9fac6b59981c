"""The life of a job: level-triggered, one file a state; attempts, epochs, and the way back after a lost node."""
