#pragma once
namespace hipport {
namespace warp32 {
unsigned ballot(int predicate);
}
}  // namespace hipport
