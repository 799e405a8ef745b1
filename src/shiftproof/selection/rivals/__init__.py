"""What do others do? ReverseTesting, and thirteen published ways to guess accuracies without labels."""
