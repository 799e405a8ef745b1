"""What do others do? ReverseTesting, and thirteen methods that estimate accuracy without labels."""
