// Convolution in two dimensions, and a bias: images [image][row][column][channel].
//
// sizes: images, height, width, channels, outputs, tap rows, tap columns, stride, padding, dilation, groups. buffers:
// input, weights [output][tap row][tap column][channel of the group], out; bias [output] may be null.
#include "../../operators/convolution.cuh"
#include "../../operators/gemm.cuh"
#include "../registry.h"

namespace hipport_llm {

namespace {

struct Arguments {
  Convolution shape;
  const __half *input, *weights, *bias;
  __half* out;

  explicit Arguments(const Launch& l)
      : shape{l.size(0), l.size(1), l.size(2), l.size(3), l.size(4), l.size(5),
              l.size(6), l.size(7), l.size(8), l.size(9), l.size(10)},
        input(l.buffer<__half>(0)),
        weights(l.buffer<__half>(1)),
        bias(l.buffer<__half>(3)),
        out(l.buffer<__half>(2)) {
    if (shape.channels % shape.groups != 0 || shape.outputs % shape.groups != 0)
      throw EngineError("the channels must be a multiple of the groups");
    if (shape.out_height() <= 0 || shape.out_width() <= 0) throw EngineError("the taps do not fit into the image");
  }
};

__global__ void direct_kernel(Arguments a) {
  const Convolution& c = a.shape;
  const int64_t at = static_cast<int64_t>(blockIdx.x) * blockDim.x + threadIdx.x;
  const int output = static_cast<int>(at % c.outputs), own = c.own_channels();
  const int64_t position = at / c.outputs;
  if (position >= c.rows()) return;
  const int x = static_cast<int>(position % c.out_width());
  const int y = static_cast<int>(position / c.out_width() % c.out_height());
  const int64_t image = position / c.out_width() / c.out_height();
  const __half* weights = a.weights + static_cast<int64_t>(output) * c.depth();
  float sum = a.bias == nullptr ? 0.0f : __half2float(a.bias[output]);
  for (int tap = 0; tap < c.taps_y * c.taps_x; ++tap) {
    const int row = y * c.stride - c.padding + tap / c.taps_x * c.dilation;
    const int column = x * c.stride - c.padding + tap % c.taps_x * c.dilation;
    if (row < 0 || row >= c.height || column < 0 || column >= c.width) continue;
    const __half* input =
        a.input + ((image * c.height + row) * c.width + column) * c.channels + output / (c.outputs / c.groups) * own;
    for (int i = 0; i < own; ++i) sum = fmaf(__half2float(input[i]), __half2float(weights[tap * own + i]), sum);
  }
  a.out[at] = __float2half(sum);
}

void direct(const Launch& launch) {
  const Arguments a(launch);
  const int64_t elements = static_cast<int64_t>(a.shape.rows()) * a.shape.outputs;
  direct_kernel<<<blocks_for(elements, launch.block()), launch.block(), 0, launch.stream()>>>(a);
}

template <int Threads, int Tile>
void tiles(const Launch& launch) {
  const Arguments a(launch);
  const Convolution& c = a.shape;
  const int own = c.own_channels(), outputs = c.outputs / c.groups;
  for (int group = 0; group < c.groups; ++group) {
    const int first = group * outputs;
    const Source<BoundedWindows> left = {windows_of(c), a.input + group * own, own % 8 == 0};
    const Source<Bounded> right = {bounded(outputs, c.depth(), c.depth()),
                                   a.weights + static_cast<int64_t>(first) * c.depth(), own % 8 == 0};
    const auto epilogue = chain(AddBias{a.bias == nullptr ? nullptr : a.bias + first}, Store{a.out + first, c.outputs});
    launch_gemm<Threads, Tile>(left, right, Extent{c.rows(), outputs}, c.depth(), epilogue, launch.stream());
  }
}

void implicit_gemm(const Launch& launch) { launch.block() == 128 ? tiles<128, 64>(launch) : tiles<256, 128>(launch); }

const Registered v1("convolution", 1, "A thread for each element of the result.", {64, 128, 256}, direct);
const Registered v2("convolution", 2,
                    "A matrix product on matrix units, whose left matrix is the images seen through coordinates.",
                    {128, 256}, implicit_gemm);

}  // namespace

}  // namespace hipport_llm
