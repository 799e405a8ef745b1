"""How do the models bear shifts that have not happened yet?"""

__all__: list[str] = []
