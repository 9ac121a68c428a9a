// SPDX-License-Identifier: MIT
// Texture references: variables of the program that are bound to memory. Host and device each have a copy of one; binding
// creates a texture object, and copies the reference to the device.
#include "api_images.h"
#include "loaded.h"

#include <map>
#include <mutex>

#define C_NAME(name) asm(#name)

namespace hipport::emulate {

// As HIP's headers have it.
struct TextureReference {
  int normalized;
  hipTextureReadMode readMode;
  hipTextureFilterMode filterMode;
  hipTextureAddressMode addressMode[3];
  hipChannelFormatDesc channelDesc;
  int sRGB;
  unsigned maxAnisotropy;
  hipTextureFilterMode mipmapFilterMode;
  float mipmapLevelBias, minMipmapLevelClamp, maxMipmapLevelClamp;
  EmulatedImage* object;
  int numChannels;
  hipArray_Format format;
};

}  // namespace hipport::emulate

using namespace hipport::emulate;
using hipport::cpu::status;

namespace {

using Reference = TextureReference;
enum : unsigned { kReadAsInteger = 1, kNormalizedCoordinates = 2 };

// Where the device has the copy of a module's reference, and what is bound to any reference.
struct References {
  std::mutex mutex;
  std::map<const Reference*, void*> of_modules;
  std::map<const Reference*, hipResourceDesc> bound;
};
References& references() {
  static References& all = *new References;
  return all;
}

void* device_copy(const Reference* reference) {
  {
    const std::lock_guard lock(references().mutex);
    const auto found = references().of_modules.find(reference);
    if (found != references().of_modules.end()) return found->second;
  }
  const Symbol* const symbol = registered_variable(reference);
  if (symbol == nullptr) return nullptr;
  try {
    return symbol->image->object().variable(symbol->name, nullptr);
  } catch (const Fault& fault) {
    stop(symbol->name, fault);
  }
}

void unbind(Reference& reference) {
  destroy_image(reference.object);
  reference.object = nullptr;
  const std::lock_guard lock(references().mutex);
  references().bound.erase(&reference);
}

hipError_t bind(const Reference* given, const hipResourceDesc& resource) {
  void* const copy = given == nullptr ? nullptr : device_copy(given);
  if (copy == nullptr) return status(hipErrorInvalidSymbol);
  Reference& reference = const_cast<Reference&>(*given);  // the runtime's part of it
  hipTextureDesc how{};
  std::copy(std::begin(reference.addressMode), std::end(reference.addressMode), how.addressMode);
  how.filterMode = reference.filterMode;
  how.readMode = reference.readMode;
  how.normalizedCoords = reference.normalized;
  how.sRGB = reference.sRGB;
  EmulatedImage* image = nullptr;
  const hipError_t error = create_image(&image, &resource, &how);
  if (error != hipSuccess) return error;
  unbind(reference);
  reference.object = image;
  {
    const std::lock_guard lock(references().mutex);
    references().bound[&reference] = resource;
  }
  std::memcpy(copy, &reference, sizeof reference);
  return hipSuccess;
}

// Set `offset` to what lies between memory and the next address that a texture may have, and return memory that is so much
// lower, which ROCclr binds: that is an address for a texture again where the offset is half of the alignment, and refused
// where it is not. Without a place for the offset there must be none.
hipError_t align(size_t* offset, const void*& memory) {
  const size_t more = reinterpret_cast<uintptr_t>(memory) % kTextureAlignment;
  const size_t distance = more == 0 ? 0 : kTextureAlignment - more;
  if (offset == nullptr) return distance == 0 ? hipSuccess : status(hipErrorInvalidValue);
  *offset = distance;
  memory = static_cast<const char*>(memory) - distance;
  return hipSuccess;
}

hipError_t bind_linear(size_t* offset, const Reference* reference, const void* memory, const hipChannelFormatDesc& desc,
                       size_t bytes) {
  if (memory == nullptr) return status(hipErrorInvalidValue);
  const hipError_t error = align(offset, memory);
  if (error != hipSuccess) return error;
  void* start = nullptr;
  size_t whole = 0;
  if (hipMemGetAddressRange(&start, &whole, const_cast<void*>(memory)) == hipSuccess)  // by default, `bytes` is all
    bytes = std::min(bytes, whole - size_t(static_cast<const char*>(memory) - static_cast<const char*>(start)));
  hipResourceDesc resource{};
  resource.resType = hipResourceTypeLinear;
  resource.res.linear.devPtr = const_cast<void*>(memory);
  resource.res.linear.desc = desc;
  resource.res.linear.sizeInBytes = bytes;
  return bind(reference, resource);
}

hipResourceDesc pitched(void* memory, const hipChannelFormatDesc& desc, size_t width, size_t height, size_t pitch) {
  hipResourceDesc resource{};
  resource.resType = hipResourceTypePitch2D;
  resource.res.pitch2D.devPtr = memory;
  resource.res.pitch2D.desc = desc;
  resource.res.pitch2D.width = width;
  resource.res.pitch2D.height = height;
  resource.res.pitch2D.pitchInBytes = pitch;
  return resource;
}
hipResourceDesc of_array(hipArray_t array) {
  hipResourceDesc resource{};
  resource.resType = hipResourceTypeArray;
  resource.res.array.array = array;
  return resource;
}

// Bind a reference again after it was changed, if it is bound.
hipError_t changed(const Reference* reference) {
  hipResourceDesc resource{};
  {
    const std::lock_guard lock(references().mutex);
    const auto found = references().bound.find(reference);
    if (found == references().bound.end()) return hipSuccess;
    resource = found->second;
  }
  return bind(reference, resource);
}

}  // namespace

// Define a function with its C name.
#define OWN(name, parameters)                         \
  hipError_t emulated_##name parameters C_NAME(name); \
  hipError_t emulated_##name parameters

OWN(hipBindTexture, (size_t* offset, const TextureReference* reference, const void* memory,
                     const hipChannelFormatDesc* desc, size_t bytes)) {
  if (reference == nullptr || desc == nullptr) return status(hipErrorInvalidValue);
  return bind_linear(offset, reference, memory, *desc, bytes);
}
OWN(hipBindTexture2D, (size_t* offset, const TextureReference* reference, const void* memory,
                       const hipChannelFormatDesc* desc, size_t width, size_t height, size_t pitch)) {
  if (reference == nullptr || memory == nullptr || desc == nullptr) return status(hipErrorInvalidValue);
  const hipError_t error = align(offset, memory);
  if (error != hipSuccess) return error;
  return bind(reference, pitched(const_cast<void*>(memory), *desc, width, height, pitch));
}
OWN(hipBindTextureToArray,
    (const TextureReference* reference, hipArray_const_t array, const hipChannelFormatDesc* desc)) {
  if (reference == nullptr || array == nullptr || desc == nullptr) return status(hipErrorInvalidValue);
  return bind(reference, of_array(const_cast<hipArray_t>(array)));
}
OWN(hipUnbindTexture, (const TextureReference* reference)) {
  if (reference == nullptr) return status(hipErrorInvalidValue);
  unbind(const_cast<TextureReference&>(*reference));
  return hipSuccess;
}
OWN(hipGetTextureReference, (const TextureReference** reference, const void* symbol)) {
  if (reference == nullptr || registered_variable(symbol) == nullptr) return status(hipErrorInvalidValue);
  *reference = static_cast<const TextureReference*>(symbol);
  return hipSuccess;
}
OWN(hipGetTextureAlignmentOffset, (size_t* offset, const TextureReference* reference)) {
  if (offset == nullptr || reference == nullptr) return status(hipErrorInvalidValue);
  *offset = 0;
  return status(reference->object == nullptr ? hipErrorInvalidTexture : hipSuccess);
}

// References of modules.
OWN(hipModuleGetTexRef, (TextureReference * *reference, EmulatedModule* module, const char* name)) {
  HIPPORT_NEEDS(reference, module, name);
  void* const copy = module->image->object().variable(name, nullptr);
  if (copy == nullptr) return status(hipErrorNotFound);
  const std::lock_guard lock(references().mutex);
  for (const auto& [known, place] : references().of_modules)
    if (place == copy) return *reference = const_cast<TextureReference*>(known), hipSuccess;
  *reference = new TextureReference{};  // as long as the program
  (*reference)->numChannels = 1;
  (*reference)->format = HIP_AD_FORMAT_FLOAT;
  references().of_modules[*reference] = copy;
  return hipSuccess;
}
OWN(hipTexRefSetFormat, (TextureReference * reference, hipArray_Format format, int channels)) {
  if (reference == nullptr) return status(hipErrorInvalidValue);
  reference->format = format;
  reference->numChannels = channels;
  return hipSuccess;
}
OWN(hipTexRefGetFormat, (hipArray_Format * format, int* channels, const TextureReference* reference)) {
  if (format == nullptr || channels == nullptr || reference == nullptr) return status(hipErrorInvalidValue);
  *format = reference->format;
  *channels = reference->numChannels;
  return hipSuccess;
}
OWN(hipTexRefSetAddress, (size_t* offset, TextureReference* reference, hipDeviceptr_t memory, size_t bytes)) {
  if (reference == nullptr) return status(hipErrorInvalidValue);
  const auto channels = hipport::cpu::channels_of(reference->format, unsigned(reference->numChannels));
  return bind_linear(offset, reference, memory, channels, bytes);
}
OWN(hipTexRefSetAddress2D,
    (TextureReference * reference, const HIP_ARRAY_DESCRIPTOR* desc, hipDeviceptr_t memory, size_t pitch)) {
  if (reference == nullptr || desc == nullptr || memory == nullptr) return status(hipErrorInvalidValue);
  const auto channels = hipport::cpu::channels_of(desc->Format, desc->NumChannels);
  return bind(reference, pitched(memory, channels, desc->Width, desc->Height, pitch));
}
OWN(hipTexRefSetArray, (TextureReference * reference, hipArray_const_t array, unsigned)) {
  if (reference == nullptr || array == nullptr) return status(hipErrorInvalidValue);
  return bind(reference, of_array(const_cast<hipArray_t>(array)));
}
OWN(hipTexRefGetArray, (hipArray_t * array, const TextureReference* reference)) {
  if (array == nullptr || reference == nullptr) return status(hipErrorInvalidValue);
  const std::lock_guard lock(references().mutex);
  const auto found = references().bound.find(reference);
  if (found == references().bound.end() || found->second.resType != hipResourceTypeArray)
    return status(hipErrorInvalidValue);
  *array = found->second.res.array.array;
  return hipSuccess;
}
OWN(hipTexRefGetAddress, (hipDeviceptr_t * memory, const TextureReference* reference)) {
  if (memory == nullptr || reference == nullptr) return status(hipErrorInvalidValue);
  const std::lock_guard lock(references().mutex);
  const auto found = references().bound.find(reference);
  if (found == references().bound.end() || found->second.resType == hipResourceTypeArray)
    return status(hipErrorInvalidValue);
  const bool linear = found->second.resType == hipResourceTypeLinear;
  *memory = linear ? found->second.res.linear.devPtr : found->second.res.pitch2D.devPtr;
  return hipSuccess;
}
OWN(hipTexRefSetAddressMode, (TextureReference * reference, int dimension, hipTextureAddressMode mode)) {
  if (reference == nullptr || dimension < 0 || dimension > 2) return status(hipErrorInvalidValue);
  reference->addressMode[dimension] = mode;
  return changed(reference);
}
OWN(hipTexRefGetAddressMode, (hipTextureAddressMode * mode, const TextureReference* reference, int dimension)) {
  if (mode == nullptr || reference == nullptr || dimension < 0 || dimension > 2) return status(hipErrorInvalidValue);
  *mode = reference->addressMode[dimension];
  return hipSuccess;
}
OWN(hipTexRefSetFilterMode, (TextureReference * reference, hipTextureFilterMode mode)) {
  if (reference == nullptr) return status(hipErrorInvalidValue);
  reference->filterMode = mode;
  return changed(reference);
}
OWN(hipTexRefGetFilterMode, (hipTextureFilterMode * mode, const TextureReference* reference)) {
  if (mode == nullptr || reference == nullptr) return status(hipErrorInvalidValue);
  *mode = reference->filterMode;
  return hipSuccess;
}
OWN(hipTexRefSetFlags, (TextureReference * reference, unsigned flags)) {
  if (reference == nullptr) return status(hipErrorInvalidValue);
  reference->readMode = flags & kReadAsInteger ? hipReadModeElementType : hipReadModeNormalizedFloat;
  reference->normalized = (flags & kNormalizedCoordinates) != 0;
  return changed(reference);
}
OWN(hipTexRefGetFlags, (unsigned* flags, const TextureReference* reference)) {
  if (flags == nullptr || reference == nullptr) return status(hipErrorInvalidValue);
  *flags = (reference->readMode == hipReadModeElementType ? kReadAsInteger : 0u) |
           (reference->normalized != 0 ? kNormalizedCoordinates : 0u);
  return hipSuccess;
}

// What only mipmaps and anisotropic filtering would use; a reference keeps it.
OWN(hipTexRefSetMaxAnisotropy, (TextureReference * reference, unsigned value)) {
  if (reference == nullptr) return status(hipErrorInvalidValue);
  reference->maxAnisotropy = value;
  return hipSuccess;
}
OWN(hipTexRefGetMaxAnisotropy, (unsigned* value, const TextureReference* reference)) {
  if (value == nullptr || reference == nullptr) return status(hipErrorInvalidValue);
  *value = reference->maxAnisotropy;
  return hipSuccess;
}
OWN(hipTexRefSetMipmapFilterMode, (TextureReference * reference, hipTextureFilterMode value)) {
  if (reference == nullptr) return status(hipErrorInvalidValue);
  reference->mipmapFilterMode = value;
  return hipSuccess;
}
OWN(hipTexRefGetMipmapFilterMode, (hipTextureFilterMode * value, const TextureReference* reference)) {
  if (value == nullptr || reference == nullptr) return status(hipErrorInvalidValue);
  *value = reference->mipmapFilterMode;
  return hipSuccess;
}
OWN(hipTexRefSetMipmapLevelBias, (TextureReference * reference, float value)) {
  if (reference == nullptr) return status(hipErrorInvalidValue);
  reference->mipmapLevelBias = value;
  return hipSuccess;
}
OWN(hipTexRefGetMipmapLevelBias, (float* value, const TextureReference* reference)) {
  if (value == nullptr || reference == nullptr) return status(hipErrorInvalidValue);
  *value = reference->mipmapLevelBias;
  return hipSuccess;
}
OWN(hipTexRefSetMipmapLevelClamp, (TextureReference * reference, float least, float most)) {
  if (reference == nullptr) return status(hipErrorInvalidValue);
  reference->minMipmapLevelClamp = least;
  reference->maxMipmapLevelClamp = most;
  return hipSuccess;
}
OWN(hipTexRefGetMipmapLevelClamp, (float* least, float* most, const TextureReference* reference)) {
  if (least == nullptr || most == nullptr || reference == nullptr) return status(hipErrorInvalidValue);
  *least = reference->minMipmapLevelClamp;
  *most = reference->maxMipmapLevelClamp;
  return hipSuccess;
}
