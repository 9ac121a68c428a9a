// SPDX-License-Identifier: MIT
// hipRTC: compiles with the installed hipcc or clang++, as `hipcc --cuda-device-only` does.
#include <hip/hiprtc.h>

#include "compiler.h"
#include "exports.h"
#include "loaded.h"

namespace hipport::emulate {
namespace {

namespace rtc = hipport::cpu::rtc;

constexpr char kName[] = "hipport_name_";  // of variables with the addresses that name expressions have

bool starts_with(const std::string& text, const char* start) { return text.rfind(start, 0) == 0; }

// Return the option as clang knows it; an empty one if it says what is done anyway.
std::string spelled(const std::string& option) {
  for (const char* other : {"--gpu-architecture=", "-arch="})
    if (starts_with(option, other)) return "--offload-arch=" + option.substr(std::strlen(other));
  for (const char* ignored : {"-default-device", "--device-as-default", "-hip-pch"})
    if (option == ignored) return "";
  return rtc::spelled(option);
}

}  // namespace

std::string found_compiler() {
  if (const char* const named = std::getenv("HIPPORT_HIPCC")) return named;
  std::string path = std::getenv("PATH") != nullptr ? std::getenv("PATH") : "";
  path += ":/opt/rocm/bin";
  for (const char* name : {"hipcc", "amdclang++", "clang++"}) {
    std::istringstream folders(path);
    for (std::string folder; std::getline(folders, folder, ':');)
      if (!folder.empty() && access((folder + "/" + name).c_str(), X_OK) == 0) return folder + "/" + name;
  }
  return "";
}

std::vector<std::string> without_emulator() { return {"env", "-u", "LD_PRELOAD", "HIP_PLATFORM=amd"}; }

namespace {

// The source, and a variable for each name expression.
std::string source_of(const ihiprtcProgram& program) {
  std::ostringstream text;
  text << "#line 1 \"" << (program.name.empty() ? "program" : program.name) << "\"\n" << program.source;
  if (program.lowered.empty()) return text.str();
  text << "\n#line 1 \"name expressions\"\n";
  unsigned number = 0;
  for (const auto& [expression, lowered] : program.lowered) {
    const bool has_address =
        expression.find_first_not_of(' ') != expression.npos && expression[expression.find_first_not_of(' ')] == '&';
    text << "extern \"C\" __device__ const void* " << kName << number++ << " = (const void*)"
         << (has_address ? "(" : "&(") << expression << ");\n";
  }
  return text.str();
}

bool find_lowered_names(ihiprtcProgram& program) {
  try {
    const Processor* const processor = find_processor(emulated_target());
    if (processor == nullptr) return false;
    const CodeObject object(reinterpret_cast<const uint8_t*>(program.code.data()), program.code.size(), *processor);
    unsigned number = 0;
    for (auto& [expression, lowered] : program.lowered) {
      void* const variable = object.variable(kName + std::to_string(number++), nullptr);
      if (variable == nullptr) return false;
      uint64_t address;
      std::memcpy(&address, variable, sizeof address);
      lowered = object.name_at(address);
      if (lowered.empty()) return false;
    }
    return true;
  } catch (const Fault& fault) {
    program.log += std::string("hipport: ") + fault.what() + "\n";
    return false;
  }
}

hiprtcResult compile(ihiprtcProgram& program, const std::vector<std::string>& options) {
  const std::string compiler = found_compiler();
  if (compiler.empty()) {
    program.log = "hipport: hipRTC needs hipcc or clang++, and neither is on PATH\n";
    return HIPRTC_ERROR_COMPILATION;
  }
  const rtc::Folder folder;
  const std::filesystem::path source = folder.path() / rtc::file_name(program.name), product = folder.path() / "code.o",
                              log = folder.path() / "log.txt";
  if (folder.path().empty() || !rtc::write_file(source, source_of(program))) return HIPRTC_ERROR_INTERNAL_ERROR;
  for (const auto& [name, text] : program.headers)
    if (!rtc::is_inside(name) || !rtc::write_file(folder.path() / name, text)) return HIPRTC_ERROR_INVALID_INPUT;
  std::vector<std::string> command = without_emulator();
  command.insert(command.end(), {compiler, "-x", "hip", "-include", "hip/hip_runtime.h", "--cuda-device-only",
                                 "--no-gpu-bundle-output"});
  command.insert(command.end(), {"-O3", "-I", folder.path(), "-c", source, "-o", product});
  bool has_target = false, relocatable = false;
  for (const std::string& option : options) {
    has_target |= starts_with(option, "--offload-arch");
    relocatable |= option == "-fgpu-rdc";
    command.push_back(option);
  }
  if (!has_target) command.push_back("--offload-arch=" + emulated_target());
  if (relocatable) command.push_back("-emit-llvm");
  const bool done = rtc::run(command, log);
  program.log = rtc::messages(rtc::read_file(log), folder.path());
  if (!done) return HIPRTC_ERROR_COMPILATION;
  program.code = rtc::read_file(product);
  if (relocatable) {
    // What calls functions of other sources is not linked here, and has no code and no lowered names.
    std::string unused;
    program.bitcode = std::move(program.code);
    program.code = linked_bitcode({program.bitcode}, {}, &unused);
    if (program.code.empty() && program.lowered.empty()) return HIPRTC_SUCCESS;
  }
  return find_lowered_names(program) ? HIPRTC_SUCCESS : HIPRTC_ERROR_COMPILATION;
}

}  // namespace
}  // namespace hipport::emulate

hiprtcResult emulated_compile(hiprtcProgram program, int count, const char* const* options) asm("hiprtcCompileProgram");
hiprtcResult emulated_compile(hiprtcProgram program, int count, const char* const* options) {
  if (program == nullptr) return HIPRTC_ERROR_INVALID_PROGRAM;
  if (count < 0 || (count > 0 && options == nullptr)) return HIPRTC_ERROR_INVALID_INPUT;
  std::vector<std::string> kept;
  for (int i = 0; i < count; ++i) {
    if (options[i] == nullptr) return HIPRTC_ERROR_INVALID_OPTION;
    const std::string option = hipport::emulate::spelled(options[i]);
    if (!option.empty()) kept.push_back(option);
  }
  return hipport::emulate::compile(*program, kept);
}

EXPORT(const char*, hiprtcGetErrorString, (hiprtcResult result), (result))
EXPORT(hiprtcResult, hiprtcVersion, (int* major, int* minor), (major, minor))
EXPORT(hiprtcResult, hiprtcCreateProgram,
       (hiprtcProgram * program, const char* source, const char* name, int count, const char* const* headers,
        const char* const* names),
       (program, source, name, count, headers, names))
EXPORT(hiprtcResult, hiprtcDestroyProgram, (hiprtcProgram * program), (program))
EXPORT(hiprtcResult, hiprtcAddNameExpression, (hiprtcProgram program, const char* expression), (program, expression))
EXPORT(hiprtcResult, hiprtcGetLoweredName, (hiprtcProgram program, const char* expression, const char** lowered),
       (program, expression, lowered))
EXPORT(hiprtcResult, hiprtcGetProgramLogSize, (hiprtcProgram program, size_t* size), (program, size))
EXPORT(hiprtcResult, hiprtcGetProgramLog, (hiprtcProgram program, char* log), (program, log))
EXPORT(hiprtcResult, hiprtcGetCodeSize, (hiprtcProgram program, size_t* size), (program, size))
EXPORT(hiprtcResult, hiprtcGetCode, (hiprtcProgram program, char* code), (program, code))

// Bitcode is there after a compilation with -fgpu-rdc.
hiprtcResult emulated_bitcode_size(hiprtcProgram program, size_t* size) asm("hiprtcGetBitcodeSize");
hiprtcResult emulated_bitcode_size(hiprtcProgram program, size_t* size) {
  if (program == nullptr || size == nullptr) return HIPRTC_ERROR_INVALID_INPUT;
  if (program->bitcode.empty()) return HIPRTC_ERROR_INVALID_PROGRAM;
  *size = program->bitcode.size();
  return HIPRTC_SUCCESS;
}
hiprtcResult emulated_bitcode(hiprtcProgram program, char* room) asm("hiprtcGetBitcode");
hiprtcResult emulated_bitcode(hiprtcProgram program, char* room) {
  if (program == nullptr || room == nullptr) return HIPRTC_ERROR_INVALID_INPUT;
  if (program->bitcode.empty()) return HIPRTC_ERROR_INVALID_PROGRAM;
  std::memcpy(room, program->bitcode.data(), program->bitcode.size());
  return HIPRTC_SUCCESS;
}
