// SPDX-License-Identifier: MIT
// malloc, free, new and delete in kernels.
#include "show.h"

struct Node {
  Node* next;
  int value;
};
__global__ void lists(int* out) {
  const int i = int(thread_number());
  Node* first = nullptr;
  for (int k = 0; k < i % 12 + 1; ++k) {
    auto* const node = static_cast<Node*>(malloc(sizeof(Node)));
    node->next = first;
    node->value = i * k;
    first = node;
  }
  int sum = 0;
  while (first != nullptr) {
    Node* const next = first->next;
    sum = sum * 3 + first->value;
    free(first);
    first = next;
  }
  out[i] = sum;
}
__global__ void arrays(int* out) {
  const int i = int(thread_number()), count = 1 + i * 5;
  int* const values = new int[size_t(count)];
  for (int k = 0; k < count; ++k) values[k] = k ^ i;
  int sum = 0;
  for (int k = count - 1; k >= 0; --k) sum = sum * 7 + values[k];
  out[i] += sum;
  delete[] values;
}
// Memory that one kernel allocates and another one uses.
__global__ void keep(int** all) {
  auto* const memory = static_cast<int*>(malloc(sizeof(int) * (threadIdx.x + 1)));
  for (unsigned k = 0; k <= threadIdx.x; ++k) memory[k] = int(k * threadIdx.x);
  all[threadIdx.x] = memory;
}
__global__ void use(int** all, int* out) {
  const unsigned other = (threadIdx.x * 5) % 64;
  for (unsigned k = 0; k <= other; ++k) out[threadIdx.x] += all[other][k];
  __syncthreads();
  free(all[threadIdx.x]);
}

int main() {
  auto* const out = zeros<int>(128);
  auto* const kept = zeros<int*>(64);
  lists<<<2, 64>>>(out);
  arrays<<<2, 64>>>(out);
  show("heaps", out, 128);
  keep<<<1, 64>>>(kept);
  use<<<1, 64>>>(kept, out);
  show("kept", out, 128);
}
