#pragma once
#define WARP ((int)32)
#define LAST (unsigned)(31)
#define LOG ((5))
#define FULL 0xFFFFFFFFul
