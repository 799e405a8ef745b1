"""What if the world changed so? Shifts to inject into any table."""

__all__: list[str] = []
