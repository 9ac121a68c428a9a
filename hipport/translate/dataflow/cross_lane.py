"""CUDA's cross-lane functions."""

SHUFFLES = frozenset({"__shfl", "__shfl_up", "__shfl_down", "__shfl_xor"})
SHUFFLES_SYNC = frozenset({f"{name}_sync" for name in SHUFFLES})
VOTES = frozenset({"__ballot", "__any", "__all"})
VOTES_SYNC = frozenset({f"{name}_sync" for name in VOTES} | {"__activemask", "__match_any_sync", "__match_all_sync"})
REDUCTIONS = frozenset({f"__reduce_{name}_sync" for name in ("add", "min", "max", "and", "or", "xor")})
CROSS_LANE = SHUFFLES | SHUFFLES_SYNC | VOTES | VOTES_SYNC | REDUCTIONS
BALLOTS = frozenset({"__ballot", "__ballot_sync", "__activemask", "__match_any_sync", "__match_all_sync"})
"""Functions whose result has one bit per lane."""
COALESCED = frozenset({"coalesced_group", "coalesced_threads"})
"""Groups of the active lanes of a wavefront; their ballots are as wide as the wavefront."""
