// SPDX-License-Identifier: MIT
// Objects with virtual functions and several bases, made by kernels.
#include "show.h"

#include <new>

struct Shape {
  __device__ virtual float area() const = 0;
  __device__ virtual int corners() const { return 0; }
  __device__ virtual ~Shape() {}
};
struct Named {
  int name = 7;
  __device__ virtual int id() const { return name; }
  __device__ virtual ~Named() {}
};
struct Circle : Shape {
  float radius;
  __device__ explicit Circle(float r) : radius(r) {}
  __device__ float area() const override { return 3.0f * radius * radius; }
};
struct Square : Shape, Named {
  float side;
  __device__ explicit Square(float s) : side(s) { name = int(s); }
  __device__ float area() const override { return side * side; }
  __device__ int corners() const override { return 4; }
  __device__ int id() const override { return -name; }
};
struct Rhomb final : Square {
  using Square::Square;
  __device__ float area() const override { return Square::area() / 2; }
};
struct Left : virtual Named {
  int left = 1;
};
struct Right : virtual Named {
  int right = 2;
};
struct Diamond : Left, Right {
  __device__ int id() const override { return left + right * 10 + name * 100; }
};

struct Slot {
  alignas(16) char bytes[64];
};
__device__ Shape* make(unsigned i, Slot* slot) {
  if (i % 3 == 0) return new (slot) Circle(float(i));
  if (i % 3 == 1) return new (slot) Square(float(i));
  return new (slot) Rhomb(float(i));
}
__device__ __noinline__ int ask(const Named& named) { return named.id(); }

__global__ void build(Shape** all, Slot* slots) {
  all[thread_number()] = make(thread_number(), slots + thread_number());
}
__global__ void use(Shape** all, float* areas, int* numbers) {
  const unsigned i = thread_number();
  const Shape* const shape = all[(i * 7) % 128];
  areas[i] = shape->area();
  Diamond diamond;
  diamond.name = int(i);
  const Rhomb rhomb(float(i + 1));
  numbers[i] = shape->corners() * 100000 + ask(diamond) + ask(rhomb) * 3;
}
__global__ void end(Shape** all) { all[thread_number()]->~Shape(); }

int main() {
  auto* const all = zeros<Shape*>(128);
  auto* const areas = zeros<float>(128);
  auto* const numbers = zeros<int>(128);
  build<<<2, 64>>>(all, zeros<Slot>(128));
  use<<<1, 128>>>(all, areas, numbers);
  end<<<4, 32>>>(all);
  show("areas", areas, 128);
  show("numbers", numbers, 128);
}
