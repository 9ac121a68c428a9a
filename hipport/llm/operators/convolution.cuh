// A convolution's input as a matrix that exists nowhere: a row for each output position, a column for each tap and
// channel. Multiplied with the weights, [output][taps][channel], it gives the convolution.
#ifndef HIPPORT_LLM_CONVOLUTION_CUH
#define HIPPORT_LLM_CONVOLUTION_CUH

#include "coordinates.cuh"

namespace hipport_llm {

// Images are [image][row][column][channel].
struct Convolution {
  int images, height, width, channels;
  int outputs, taps_y, taps_x;
  int stride, padding, dilation, groups;

  __host__ __device__ int out_height() const { return out_length(height, taps_y); }
  __host__ __device__ int out_width() const { return out_length(width, taps_x); }
  __host__ __device__ int rows() const { return images * out_height() * out_width(); }
  __host__ __device__ int own_channels() const { return channels / groups; }
  __host__ __device__ int depth() const { return taps_y * taps_x * own_channels(); }

 private:
  __host__ __device__ int out_length(int length, int taps) const {
    return (length + 2 * padding - dilation * (taps - 1) - 1) / stride + 1;
  }
};

// image, padded row, padded column, channel
using Padded = Through<Memory<4>, Keep<0, 0>, Map<Pad, Ids<1>, Ids<1>>, Map<Pad, Ids<2>, Ids<2>>, Keep<3, 3>>;
// image, output row, output column, tap row, tap column, channel
using Windows =
    Through<Padded, Keep<0, 0>, Map<Embed<2>, Ids<1, 3>, Ids<1>>, Map<Embed<2>, Ids<2, 4>, Ids<2>>, Keep<5, 3>>;
// output position, tap and channel
using WindowMatrix = Through<Windows, Map<Merge<3>, Ids<0>, Ids<0, 1, 2>>, Map<Merge<3>, Ids<1>, Ids<3, 4, 5>>>;
using BoundedWindows = Through<WindowMatrix, Map<Pad, Ids<0>, Ids<0>>, Map<Pad, Ids<1>, Ids<1>>>;

// One group's.
inline BoundedWindows windows_of(const Convolution& c) {
  const int64_t line = static_cast<int64_t>(c.width) * c.channels;
  const Padded padded(Memory<4>{{c.height * line, line, c.channels, 1}}, {}, {Pad{c.padding, c.height}},
                      {Pad{c.padding, c.width}}, {});
  const Embed<2> window = {{c.stride, c.dilation}};
  const Windows windows(padded, {}, {window}, {window}, {});
  const WindowMatrix matrix(windows, {Merge<3>{{Divisor(c.out_height()), Divisor(c.out_width())}}},
                            {Merge<3>{{Divisor(c.taps_x), Divisor(c.own_channels())}}});
  return {matrix, {Pad{0, c.rows()}}, {Pad{0, c.depth()}}};
}

}  // namespace hipport_llm

#endif
