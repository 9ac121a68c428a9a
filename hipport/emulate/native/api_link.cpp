// SPDX-License-Identifier: MIT
// Linking at run time: LLVM bitcode, alone, in bundles or in archives of bundles, by the installed clang and its linker.
#include <hip/hiprtc.h>

#include "compiler.h"
#include "loaded.h"

#include <cstring>

#define C_NAME(name) asm(#name)

using hipport::cpu::status;
namespace rtc = hipport::cpu::rtc;

namespace hipport::emulate {

namespace {

// Return the clang that a compiler runs, which may be a script: the first word of the command that it would run.
std::string clang_of(const std::string& compiler, const rtc::Folder& folder) {
  const std::filesystem::path log = folder.path() / "clang.txt";
  std::vector<std::string> command = without_emulator();
  command.insert(command.end(), {compiler, "-###", "-x", "c", "-c", "/dev/null", "-o", "/dev/null"});
  rtc::run(command, log);
  std::istringstream lines(rtc::read_file(log));
  for (std::string line; std::getline(lines, line);)
    if (line.rfind(" \"", 0) == 0) return line.substr(2, line.find('"', 2) - 2);
  return "";
}

}  // namespace

std::string linked_bitcode(const std::vector<std::string>& inputs, const std::vector<std::string>& options,
                           std::string* log) {
  const std::string compiler = found_compiler();
  const rtc::Folder folder;
  if (compiler.empty() || folder.path().empty()) {
    *log += "hipport: linking needs hipcc or clang++, and neither is on PATH\n";
    return "";
  }
  const std::string clang = clang_of(compiler, folder), target = emulated_target();
  const std::filesystem::path product = folder.path() / "linked.o", messages = folder.path() / "log.txt";
  std::vector<std::string> command = without_emulator();
  command.insert(command.end(), {clang.empty() ? compiler : clang, "--target=amdgcn-amd-amdhsa", "-mcpu=" + target,
                                 "-nogpulib", "-flto", "-O3", "-Wl,-plugin-opt=mcpu=" + processor_of(target)});
  command.insert(command.end(), {"-Wl,-plugin-opt=O3", "-Wl,--no-undefined"});
  command.insert(command.end(), options.begin(), options.end());
  for (size_t i = 0; i < inputs.size(); ++i) {
    const std::filesystem::path input = folder.path() / (std::to_string(i) + ".bc");
    if (!rtc::write_file(input, inputs[i])) return "";
    command.insert(command.end(), {"-x", "ir", input});
  }
  command.insert(command.end(), {"-o", product});
  const bool done = rtc::run(command, messages);
  *log += rtc::messages(rtc::read_file(messages), folder.path());
  return done ? rtc::read_file(product) : "";
}

// What is linked: bitcode in the order of the calls, and the result, which lives as long as this.
struct Link : hipport::cpu::Handled<Link> {
  std::vector<std::string> inputs;
  std::string code, log;
};

namespace {

enum class Outcome { kDone, kInvalid, kNotFound, kFailed };

enum InputType { kBitcode = 100, kBundled = 101, kArchive = 102 };

bool is_bitcode(const std::string& text) {
  return text.rfind("BC\xc0\xde", 0) == 0 || text.rfind("\xde\xc0\x17\x0b", 0) == 0 ||
         text.find("target triple") != text.npos;
}

// Add the entry of a bundle that fits the target best.
Outcome add_bundled(Link& link, std::string bundle) {
  try {
    bundle.resize(bundle.size() + 64);  // headers are read without looking for the end
    const std::vector<Entry> entries = entries_of(reinterpret_cast<const uint8_t*>(bundle.data()));
    const Entry* const best = best_entry(entries, emulated_target());
    if (best == nullptr) return Outcome::kInvalid;
    link.inputs.emplace_back(reinterpret_cast<const char*>(best->bytes), best->size);
    return Outcome::kDone;
  } catch (const Fault&) {
    return Outcome::kInvalid;
  }
}

// Add the bundles of an archive in the format of `ar`; what else it has is left out.
Outcome add_archive(Link& link, const std::string& archive) {
  constexpr char start[] = "!<arch>\n";
  constexpr size_t header = 60, size_at = 48;
  bool found = false;
  if (archive.rfind(start, 0) != 0) return Outcome::kInvalid;
  for (size_t at = 8; at + header <= archive.size();) {
    const size_t size = std::strtoul(archive.substr(at + size_at, 10).c_str(), nullptr, 10);
    if (size > archive.size() - at - header) return Outcome::kInvalid;
    found |= add_bundled(link, archive.substr(at + header, size)) == Outcome::kDone;
    at += header + size + size % 2;
  }
  return found ? Outcome::kDone : Outcome::kInvalid;
}

Outcome add(Link* link, int type, std::string input) {
  if (!hipport::cpu::exists(link) || input.empty()) return Outcome::kInvalid;
  switch (type) {
    case kBitcode:
      if (!is_bitcode(input)) return Outcome::kInvalid;
      link->inputs.push_back(std::move(input));
      return Outcome::kDone;
    case kBundled: return add_bundled(*link, std::move(input));
    case kArchive: return add_archive(*link, input);
    default: return Outcome::kInvalid;  // of CUDA, or SPIR-V
  }
}

Outcome add_data(Link* link, int type, const void* data, size_t size) {
  constexpr size_t most_bytes = size_t(1) << 47;  // of addresses
  return data == nullptr || size > most_bytes ? Outcome::kInvalid
                                              : add(link, type, std::string(static_cast<const char*>(data), size));
}

Outcome add_file(Link* link, int type, const char* path) {
  if (path == nullptr) return Outcome::kInvalid;
  return access(path, R_OK) != 0 ? Outcome::kNotFound : add(link, type, rtc::read_file(path));
}

Outcome complete(Link* link, void** code, size_t* size) {
  if (!hipport::cpu::exists(link) || code == nullptr || size == nullptr || link->inputs.empty())
    return Outcome::kInvalid;
  link->code = linked_bitcode(link->inputs, {}, &link->log);
  if (link->code.empty()) {
    std::fprintf(stderr, "hipport: a link at run time failed:\n%s", link->log.c_str());
    return Outcome::kFailed;
  }
  *size = link->code.size();
  link->code.resize(*size + 64);  // headers of modules are read without looking for the end
  *code = link->code.data();
  return Outcome::kDone;
}

hipError_t error_of(Outcome outcome) {
  constexpr hipError_t errors[] = {hipSuccess, hipErrorInvalidValue, hipErrorFileNotFound,
                                   hipErrorInvalidConfiguration};
  return status(errors[int(outcome)]);
}
hiprtcResult result_of(Outcome outcome) {
  constexpr hiprtcResult results[] = {HIPRTC_SUCCESS, HIPRTC_ERROR_INVALID_INPUT, HIPRTC_ERROR_PROGRAM_CREATION_FAILURE,
                                      HIPRTC_ERROR_LINKING};
  return results[int(outcome)];
}

}  // namespace
}  // namespace hipport::emulate

using hipport::emulate::Link;
using namespace hipport::emulate;

// Options are those of CUDA's linker, or ask for what is done anyway.
hipError_t emulated_link_create(unsigned, int*, void**, Link** state) C_NAME(hipLinkCreate);
hipError_t emulated_link_create(unsigned, int*, void**, Link** state) {
  if (state == nullptr) return status(hipErrorInvalidValue);
  *state = new Link;
  return hipSuccess;
}
hipError_t emulated_link_data(Link* link, int type, void* data, size_t size, const char*, unsigned, int*, void**)
    C_NAME(hipLinkAddData);
hipError_t emulated_link_data(Link* link, int type, void* data, size_t size, const char*, unsigned, int*, void**) {
  return error_of(add_data(link, type, data, size));
}
hipError_t emulated_link_file(Link* link, int type, const char* path, unsigned, int*, void**) C_NAME(hipLinkAddFile);
hipError_t emulated_link_file(Link* link, int type, const char* path, unsigned, int*, void**) {
  return error_of(add_file(link, type, path));
}
hipError_t emulated_link_complete(Link* link, void** code, size_t* size) C_NAME(hipLinkComplete);
hipError_t emulated_link_complete(Link* link, void** code, size_t* size) {
  return error_of(complete(link, code, size));
}
hipError_t emulated_link_destroy(Link* link) C_NAME(hipLinkDestroy);
hipError_t emulated_link_destroy(Link* link) {
  if (!hipport::cpu::exists(link)) return status(hipErrorInvalidHandle);
  delete link;
  return hipSuccess;
}

hiprtcResult emulated_rtc_create(unsigned, int*, void**, Link** state) C_NAME(hiprtcLinkCreate);
hiprtcResult emulated_rtc_create(unsigned, int*, void**, Link** state) {
  if (state == nullptr) return HIPRTC_ERROR_INVALID_INPUT;
  *state = new Link;
  return HIPRTC_SUCCESS;
}
hiprtcResult emulated_rtc_data(Link* link, int type, void* data, size_t size, const char*, unsigned, int*, void**)
    C_NAME(hiprtcLinkAddData);
hiprtcResult emulated_rtc_data(Link* link, int type, void* data, size_t size, const char*, unsigned, int*, void**) {
  return result_of(add_data(link, type, data, size));
}
hiprtcResult emulated_rtc_file(Link* link, int type, const char* path, unsigned, int*, void**)
    C_NAME(hiprtcLinkAddFile);
hiprtcResult emulated_rtc_file(Link* link, int type, const char* path, unsigned, int*, void**) {
  return result_of(add_file(link, type, path));
}
hiprtcResult emulated_rtc_complete(Link* link, void** code, size_t* size) C_NAME(hiprtcLinkComplete);
hiprtcResult emulated_rtc_complete(Link* link, void** code, size_t* size) {
  return result_of(complete(link, code, size));
}
hiprtcResult emulated_rtc_destroy(Link* link) C_NAME(hiprtcLinkDestroy);
hiprtcResult emulated_rtc_destroy(Link* link) {
  if (!hipport::cpu::exists(link)) return HIPRTC_ERROR_INVALID_INPUT;
  delete link;
  return HIPRTC_SUCCESS;
}
