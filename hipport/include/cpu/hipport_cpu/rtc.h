// SPDX-License-Identifier: MIT
// hipRTC: compiles with `hipport build --target cpu --genco` in a temporary folder.
//
// It runs the Python with which the program was built, or the one that the environment variable HIPPORT_PYTHON names.
#pragma once

#include "modules.h"

#include <filesystem>
#include <fstream>
#include <iterator>
#include <spawn.h>
#include <sstream>
#include <sys/wait.h>

extern char** environ;

enum hiprtcResult {
  HIPRTC_SUCCESS = 0,
  HIPRTC_ERROR_OUT_OF_MEMORY = 1,
  HIPRTC_ERROR_PROGRAM_CREATION_FAILURE = 2,
  HIPRTC_ERROR_INVALID_INPUT = 3,
  HIPRTC_ERROR_INVALID_PROGRAM = 4,
  HIPRTC_ERROR_INVALID_OPTION = 5,
  HIPRTC_ERROR_COMPILATION = 6,
  HIPRTC_ERROR_BUILTIN_OPERATION_FAILURE = 7,
  HIPRTC_ERROR_NO_NAME_EXPRESSIONS_AFTER_COMPILATION = 8,
  HIPRTC_ERROR_NO_LOWERED_NAMES_BEFORE_COMPILATION = 9,
  HIPRTC_ERROR_NAME_EXPRESSION_NOT_VALID = 10,
  HIPRTC_ERROR_INTERNAL_ERROR = 11,
  HIPRTC_ERROR_LINKING = 100
};

struct ihiprtcProgram {
  std::string name, source;
  std::map<std::string, std::string> headers;
  std::map<std::string, std::string> lowered;  // lowered name by name expression; empty before the compilation
  std::string log, code, bitcode;              // bitcode: of the emulator
};
using hiprtcProgram = ihiprtcProgram*;

#ifndef HIPPORT_PYTHON
#define HIPPORT_PYTHON "python3"
#endif
#ifndef HIPPORT_COMPILER
#define HIPPORT_COMPILER ""
#endif

namespace hipport::cpu::rtc {

namespace files = std::filesystem;

// A private temporary folder for one compilation.
class Folder {
 public:
  Folder() {
    std::string name = (files::temp_directory_path() / "hipport-rtc-XXXXXX").string();
    if (mkdtemp(name.data()) != nullptr) path_ = name;
  }
  ~Folder() {
    std::error_code ignored;
    if (!path_.empty()) files::remove_all(path_, ignored);
  }
  Folder(const Folder&) = delete;
  Folder& operator=(const Folder&) = delete;
  const files::path& path() const { return path_; }

 private:
  files::path path_;
};

inline bool write_file(const files::path& path, const std::string& text) {
  files::create_directories(path.parent_path());
  std::ofstream file(path, std::ios::binary);
  file << text;
  return file.good();
}
inline std::string read_file(const files::path& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
}

// Return whether a header's name stays inside the folder.
inline bool is_inside(const std::string& name) {
  const files::path normal = files::path(name).lexically_normal();
  return !name.empty() && !normal.is_absolute() && *normal.begin() != "..";
}

// Options that select a GPU, the arithmetic of its code, the default execution space or an older C++ standard are dropped:
// there is no GPU, and the headers need C++17.
inline bool is_dropped(const std::string& option) {
  static const char* const prefixes[] = {"--gpu-architecture",  "-arch",           "--offload-arch", "-std=c++0",
                                         "-std=c++1",           "--std=c++0",      "--std=c++1",     "-default-device",
                                         "--device-as-default", "--use_fast_math", "-fgpu-",         "-fcuda-",
                                         "-fno-hip-",           "-fhip-"};
  return option.find("c++17") == std::string::npos &&
         std::any_of(std::begin(prefixes), std::end(prefixes),
                     [&](const char* prefix) { return option.rfind(prefix, 0) == 0; });
}

// Spell an option as the compilers do.
inline std::string spelled(const std::string& option) {
  static const std::pair<const char*, const char*> long_forms[] = {
      {"--define-macro=", "-D"}, {"--undefine-macro=", "-U"}, {"--include-path=", "-I"}, {"--std=", "-std="}};
  for (const auto& [given, wanted] : long_forms)
    if (option.rfind(given, 0) == 0) return wanted + option.substr(std::strlen(given));
  return option;
}

// Return the source with the code that looks up the name expressions appended.
inline std::string source_of(const ihiprtcProgram& program) {
  if (program.lowered.empty()) return program.source;
  std::ostringstream text;
  text << program.source << "\n#line 1 \"name expressions\"\n";
  for (const auto& [expression, lowered] : program.lowered)
    text << "HIPPORT_NAME_EXPRESSION(R\"hipport(" << expression << ")hipport\", " << expression << ")\n";
  return text.str();
}

inline std::string file_name(const std::string& name) {
  std::string safe;
  for (const char c : files::path(name).stem().string()) safe += std::isalnum(static_cast<unsigned char>(c)) ? c : '_';
  return (safe.empty() ? "program" : safe) + ".hip";
}

// Run a command with its messages in a file; return whether it succeeded.
inline bool run(const std::vector<std::string>& command, const files::path& log) {
  std::vector<char*> arguments;
  for (const std::string& word : command) arguments.push_back(const_cast<char*>(word.c_str()));
  arguments.push_back(nullptr);
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_addopen(&actions, STDERR_FILENO, log.c_str(), O_WRONLY | O_CREAT | O_TRUNC, 0600);
  posix_spawn_file_actions_addopen(&actions, STDOUT_FILENO, "/dev/null", O_WRONLY, 0);
  pid_t process = 0;
  int state = 1;
  const int failed = posix_spawnp(&process, arguments[0], &actions, nullptr, arguments.data(), environ);
  posix_spawn_file_actions_destroy(&actions);
  if (failed != 0) return write_file(log, command[0] + ": " + std::strerror(failed) + "\n") && false;
  while (waitpid(process, &state, 0) < 0 && errno == EINTR) {
  }
  return WIFEXITED(state) && WEXITSTATUS(state) == 0;
}

// Return only the compiler's messages, with the file names that the program passed.
inline std::string messages(std::string log, const files::path& folder) {
  const std::string prefix = folder.string() + "/";
  for (size_t at; (at = log.find(prefix)) != std::string::npos;) log.erase(at, prefix.size());
  std::istringstream lines(log);
  std::string kept;
  for (std::string line; std::getline(lines, line);)
    if (line.rfind("[1/", 0) != 0 && line.rfind("[2/", 0) != 0 && !(kept.empty() && line.empty())) kept += line + "\n";
  return kept;
}

inline std::vector<std::string> command(const files::path& source, const files::path& product,
                                        const files::path& folder, const std::vector<std::string>& options) {
  const char* python = std::getenv("HIPPORT_PYTHON");
  std::vector<std::string> words{
      python != nullptr ? python : HIPPORT_PYTHON, "-m", "hipport", "build", "--target", "cpu"};
  const std::string wave = std::to_string(HIPPORT_WAVE_SIZE);
  words.insert(words.end(), {"--genco", "--wave-size", wave, "-I", folder, source, "-o", product});
  if (*HIPPORT_COMPILER != '\0') words.insert(words.end(), {"--compiler", HIPPORT_COMPILER});
  words.push_back("--");
  words.insert(words.end(), options.begin(), options.end());
  return words;
}

// Read the lowered names from the compiled module.
inline bool find_lowered_names(ihiprtcProgram& program) {
  const Library library(program.code.data(), program.code.size());
  const ModuleTable* table = library.is_open() ? library.table() : nullptr;
  if (table == nullptr) return false;
  for (const Exported* item = table->first; item != nullptr; item = item->next) {
    Dl_info info;
    if (item->expression == nullptr) continue;
    if (dladdr(item->kernel.address, &info) == 0 || info.dli_sname == nullptr) return false;
    program.lowered[item->expression] = info.dli_sname;
  }
  return true;
}

inline hiprtcResult compile(ihiprtcProgram& program, const std::vector<std::string>& options) {
  const Folder folder;
  const files::path source = folder.path() / file_name(program.name), product = folder.path() / "module.so",
                    log = folder.path() / "log.txt";
  if (folder.path().empty() || !write_file(source, source_of(program))) return HIPRTC_ERROR_INTERNAL_ERROR;
  for (const auto& [name, text] : program.headers)
    if (!is_inside(name) || !write_file(folder.path() / name, text)) return HIPRTC_ERROR_INVALID_INPUT;
  const bool done = run(command(source, product, folder.path(), options), log);
  program.log = messages(read_file(log), folder.path());
  if (!done) return HIPRTC_ERROR_COMPILATION;
  program.code = read_file(product);
  return find_lowered_names(program) ? HIPRTC_SUCCESS : HIPRTC_ERROR_COMPILATION;
}

// Copy bytes, without a terminating zero: hipRTC counts none.
inline hiprtcResult give(const std::string& bytes, char* room) {
  if (room == nullptr) return HIPRTC_ERROR_INVALID_INPUT;
  std::memcpy(room, bytes.data(), bytes.size());
  return HIPRTC_SUCCESS;
}

inline bool is_empty(const char* text) { return text == nullptr || *text == '\0'; }

}  // namespace hipport::cpu::rtc

inline const char* hiprtcGetErrorString(hiprtcResult result) {
  switch (result) {
#define HIPPORT_RESULT(name) \
  case name: return #name;
    HIPPORT_RESULT(HIPRTC_SUCCESS)
    HIPPORT_RESULT(HIPRTC_ERROR_OUT_OF_MEMORY)
    HIPPORT_RESULT(HIPRTC_ERROR_PROGRAM_CREATION_FAILURE)
    HIPPORT_RESULT(HIPRTC_ERROR_INVALID_INPUT)
    HIPPORT_RESULT(HIPRTC_ERROR_INVALID_PROGRAM)
    HIPPORT_RESULT(HIPRTC_ERROR_INVALID_OPTION)
    HIPPORT_RESULT(HIPRTC_ERROR_COMPILATION)
    HIPPORT_RESULT(HIPRTC_ERROR_BUILTIN_OPERATION_FAILURE)
    HIPPORT_RESULT(HIPRTC_ERROR_NO_NAME_EXPRESSIONS_AFTER_COMPILATION)
    HIPPORT_RESULT(HIPRTC_ERROR_NO_LOWERED_NAMES_BEFORE_COMPILATION)
    HIPPORT_RESULT(HIPRTC_ERROR_NAME_EXPRESSION_NOT_VALID)
    HIPPORT_RESULT(HIPRTC_ERROR_INTERNAL_ERROR)
    HIPPORT_RESULT(HIPRTC_ERROR_LINKING)
#undef HIPPORT_RESULT
  }
  return "Invalid HIPRTC error code";
}
inline hiprtcResult hiprtcVersion(int* major, int* minor) {
  if (major == nullptr || minor == nullptr) return HIPRTC_ERROR_INVALID_INPUT;
  *major = 9;  // in all releases
  *minor = 0;
  return HIPRTC_SUCCESS;
}
inline hiprtcResult hiprtcCreateProgram(hiprtcProgram* program, const char* source, const char* name, int count,
                                        const char* const* headers, const char* const* names) {
  using hipport::cpu::rtc::is_empty;
  if (program == nullptr) return HIPRTC_ERROR_INVALID_PROGRAM;
  if (is_empty(source) || count < 0 || (count > 0 && (headers == nullptr || names == nullptr)))
    return HIPRTC_ERROR_INVALID_INPUT;
  for (int i = 0; i < count; ++i)
    if (is_empty(headers[i]) || is_empty(names[i])) return HIPRTC_ERROR_INVALID_INPUT;
  auto* made = *program = new ihiprtcProgram;
  made->name = name != nullptr ? name : "";
  made->source = source;
  for (int i = 0; i < count; ++i) made->headers[names[i]] = headers[i];
  return HIPRTC_SUCCESS;
}
inline hiprtcResult hiprtcDestroyProgram(hiprtcProgram* program) {
  if (program == nullptr) return HIPRTC_ERROR_INVALID_INPUT;
  if (*program == nullptr) return HIPRTC_ERROR_INVALID_PROGRAM;
  delete *program;
  *program = nullptr;
  return HIPRTC_SUCCESS;
}
inline hiprtcResult hiprtcAddNameExpression(hiprtcProgram program, const char* expression) {
  if (program == nullptr) return HIPRTC_ERROR_INVALID_PROGRAM;
  if (hipport::cpu::rtc::is_empty(expression)) return HIPRTC_ERROR_INVALID_INPUT;
  program->lowered[expression];
  return HIPRTC_SUCCESS;
}
inline hiprtcResult hiprtcCompileProgram(hiprtcProgram program, int count, const char* const* options) {
  if (program == nullptr) return HIPRTC_ERROR_INVALID_PROGRAM;
  if (count < 0 || (count > 0 && options == nullptr)) return HIPRTC_ERROR_INVALID_INPUT;
  std::vector<std::string> kept;
  for (int i = 0; i < count; ++i)
    if (options[i] == nullptr)
      return HIPRTC_ERROR_INVALID_OPTION;
    else if (!hipport::cpu::rtc::is_dropped(options[i]))
      kept.push_back(hipport::cpu::rtc::spelled(options[i]));
  return hipport::cpu::rtc::compile(*program, kept);
}
inline hiprtcResult hiprtcGetLoweredName(hiprtcProgram program, const char* expression, const char** lowered) {
  if (program == nullptr) return HIPRTC_ERROR_INVALID_PROGRAM;
  if (expression == nullptr || lowered == nullptr) return HIPRTC_ERROR_INVALID_INPUT;
  const auto found = program->lowered.find(expression);
  if (found == program->lowered.end() || found->second.empty()) return HIPRTC_ERROR_NAME_EXPRESSION_NOT_VALID;
  *lowered = found->second.c_str();
  return HIPRTC_SUCCESS;
}
inline hiprtcResult hiprtcGetProgramLogSize(hiprtcProgram program, size_t* size) {
  if (program == nullptr || size == nullptr) return HIPRTC_ERROR_INVALID_INPUT;
  *size = program->log.size();
  return HIPRTC_SUCCESS;
}
inline hiprtcResult hiprtcGetProgramLog(hiprtcProgram program, char* log) {
  return program == nullptr ? HIPRTC_ERROR_INVALID_PROGRAM : hipport::cpu::rtc::give(program->log, log);
}
inline hiprtcResult hiprtcGetCodeSize(hiprtcProgram program, size_t* size) {
  if (program == nullptr || size == nullptr) return HIPRTC_ERROR_INVALID_INPUT;
  *size = program->code.size();
  return HIPRTC_SUCCESS;
}
inline hiprtcResult hiprtcGetCode(hiprtcProgram program, char* code) {
  return program == nullptr ? HIPRTC_ERROR_INVALID_INPUT : hipport::cpu::rtc::give(program->code, code);
}
