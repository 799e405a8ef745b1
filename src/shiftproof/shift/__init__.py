"""Of which kind is the shift? Prior, covariate, none, or out of reach; without labels for the new rows."""

__all__: list[str] = []
