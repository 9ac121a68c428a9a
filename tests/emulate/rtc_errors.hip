// What hipRTC returns for wrong arguments, sources, options, headers and name expressions: a line for each call.
#include <hip/hip_runtime.h>
#include <hip/hiprtc.h>

#include <cstdio>
#include <cstring>
#include <string>

namespace {

constexpr char kGood[] = "template <int N> __global__ void k(int* a) { *a = N; }\n";
const char *one_header[] = {"#define V 3\n"}, *one_name[] = {"v.h"}, *null_text[] = {nullptr}, *empty_text[] = {""};

void say(const char* what, hiprtcResult result) { std::printf("%s: %s\n", what, hiprtcGetErrorString(result) + 7); }

hiprtcProgram made(const char* source) {
  hiprtcProgram program = nullptr;
  (void)hiprtcCreateProgram(&program, source, "given.cu", 1, one_header, one_name);
  return program;
}

void create(const char* what, hiprtcProgram* program, const char* source, int count, const char** headers,
            const char** names) {
  say(what, hiprtcCreateProgram(program, source, "given.cu", count, headers, names));
}

void create_all() {
  hiprtcProgram program;
  create("create, no program", nullptr, kGood, 0, nullptr, nullptr);
  create("create, empty source", &program, "", 0, nullptr, nullptr);
  create("create, -1 headers", &program, kGood, -1, one_header, one_name);
  create("create, no headers", &program, kGood, 1, nullptr, one_name);
  create("create, no names", &program, kGood, 1, one_header, nullptr);
  create("create, null header", &program, kGood, 1, null_text, one_name);
  create("create, null name", &program, kGood, 1, one_header, null_text);
  create("create, empty header", &program, kGood, 1, empty_text, one_name);
  create("create, empty name", &program, kGood, 1, one_header, empty_text);
}

// Ask for everything that a program has.
void query(const char* when, hiprtcProgram program, const char* expression) {
  size_t code = 77, log = 77;
  const char* lowered = "none";
  const hiprtcResult code_result = hiprtcGetCodeSize(program, &code);
  const hiprtcResult log_result = hiprtcGetProgramLogSize(program, &log);
  const hiprtcResult name_result = hiprtcGetLoweredName(program, expression, &lowered);
  std::string text(log + 1, '#');
  (void)hiprtcGetProgramLog(program, &text[0]);
  const bool is_whole = std::strlen(text.c_str()) == log + 1 && text[log] == '#';
  std::printf("%s: code %s%s, log %s of its size: %d, name %s %s\n", when, hiprtcGetErrorString(code_result) + 7,
              code == 0 ? ", none" : "", hiprtcGetErrorString(log_result) + 7, is_whole,
              hiprtcGetErrorString(name_result) + 7, lowered);
  text.resize(log);
  std::printf("%s", text.c_str());
}

void compile(const char* what, const char* source, const char* option, const char* expression) {
  hiprtcProgram program = made(source);
  if (expression != nullptr) (void)hiprtcAddNameExpression(program, expression);
  std::printf("== %s\n", what);
  say("compile", hiprtcCompileProgram(program, option != nullptr, &option));
  query("then", program, expression != nullptr ? expression : "k<3>");
  say("destroy", hiprtcDestroyProgram(&program));
}

void null_arguments() {
  hiprtcProgram program = made(kGood);
  const char* lowered;
  query("before", program, "k<3>");
  say("compile, null option", hiprtcCompileProgram(program, 1, null_text));
  say("expression, null", hiprtcAddNameExpression(program, nullptr));
  say("expression, empty", hiprtcAddNameExpression(program, ""));
  say("lowered, null", hiprtcGetLoweredName(program, nullptr, &lowered));
  say("lowered, nowhere", hiprtcGetLoweredName(program, "k<3>", nullptr));
  say("log size, nowhere", hiprtcGetProgramLogSize(program, nullptr));
  say("log, nowhere", hiprtcGetProgramLog(program, nullptr));
  say("code size, nowhere", hiprtcGetCodeSize(program, nullptr));
  say("code, nowhere", hiprtcGetCode(program, nullptr));
  say("version, nowhere", hiprtcVersion(nullptr, nullptr));
  say("destroy, nothing", hiprtcDestroyProgram(nullptr));
  std::printf("%s\n", hiprtcGetErrorString(static_cast<hiprtcResult>(99)));
  (void)hiprtcDestroyProgram(&program);
}

}  // namespace

int main() {
  create_all();
  null_arguments();
  compile("success", kGood, nullptr, "k<3>");
  compile("wrong source", "__global__ void k() { first(); second(); }\n", nullptr, nullptr);
  compile("unclosed source", "__device__ int f() {\n", nullptr, nullptr);
  compile("wrong expression", kGood, nullptr, "absent<int>");
  compile("wrong option", kGood, "-fno-such-option", nullptr);
  compile("missing header", "#include \"absent.h\"\n", nullptr, nullptr);
  compile("warning", "#warning careful\n", nullptr, nullptr);
}
