// SPDX-License-Identifier: MIT
// What NVTX has and rocTX lacks: events with attributes, domains, names of threads and streams. For C and C++.
//
// rocTX has ranges and marks with a text. Of an event only the message is shown, with the name of the domain in front;
// colors, categories, payloads and names are accepted and ignored.
#ifndef HIPPORT_COMPAT_NVTX_H
#define HIPPORT_COMPAT_NVTX_H

#if defined(__NVCC__) || defined(__CUDA__) || defined(__HIP_PLATFORM_NVIDIA__)
#include <nvtx3/nvToolsExt.h>
#else

#include <roctracer/roctx.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <wchar.h>

#define NVTX_VERSION 3
#define NVTX_EVENT_ATTRIB_STRUCT_SIZE ((uint16_t)sizeof(nvtxEventAttributes_t))

typedef enum nvtxColorType_t { NVTX_COLOR_UNKNOWN = 0, NVTX_COLOR_ARGB = 1 } nvtxColorType_t;

typedef enum nvtxMessageType_t {
  NVTX_MESSAGE_UNKNOWN = 0,
  NVTX_MESSAGE_TYPE_ASCII = 1,
  NVTX_MESSAGE_TYPE_UNICODE = 2,
  NVTX_MESSAGE_TYPE_REGISTERED = 3
} nvtxMessageType_t;

typedef enum nvtxPayloadType_t {
  NVTX_PAYLOAD_UNKNOWN = 0,
  NVTX_PAYLOAD_TYPE_UNSIGNED_INT64 = 1,
  NVTX_PAYLOAD_TYPE_INT64 = 2,
  NVTX_PAYLOAD_TYPE_DOUBLE = 3,
  NVTX_PAYLOAD_TYPE_UNSIGNED_INT32 = 4,
  NVTX_PAYLOAD_TYPE_INT32 = 5,
  NVTX_PAYLOAD_TYPE_FLOAT = 6
} nvtxPayloadType_t;

// Registered strings and domains are represented by their texts.
typedef struct nvtxStringRegistration_st {
  char* text;
} nvtxStringRegistration;
typedef nvtxStringRegistration* nvtxStringHandle_t;

typedef struct nvtxDomainRegistration_st {
  char* name;
} nvtxDomainRegistration;
typedef nvtxDomainRegistration* nvtxDomainHandle_t;

typedef union nvtxMessageValue_t {
  const char* ascii;
  const wchar_t* unicode;
  nvtxStringHandle_t registered;
} nvtxMessageValue_t;

typedef struct nvtxEventAttributes_v2 {
  uint16_t version;
  uint16_t size;
  uint32_t category;
  int32_t colorType;
  uint32_t color;
  int32_t payloadType;
  int32_t reserved0;
  union {
    uint64_t ullValue;
    int64_t llValue;
    double dValue;
    uint32_t uiValue;
    int32_t iValue;
    float fValue;
  } payload;
  int32_t messageType;
  nvtxMessageValue_t message;
} nvtxEventAttributes_v2;
typedef nvtxEventAttributes_v2 nvtxEventAttributes_t;

enum { HIPPORT_NVTX_LENGTH = 256 };  // the longest text shown for an event

// Format the text of an event in a domain, truncated to the buffer.
static inline const char* hipport_nvtx_text(char* text, nvtxDomainHandle_t domain, const nvtxEventAttributes_t* event) {
  char wide[HIPPORT_NVTX_LENGTH] = "";
  const char* message = "";
  if (event && event->messageType == NVTX_MESSAGE_TYPE_ASCII && event->message.ascii) {
    message = event->message.ascii;
  } else if (event && event->messageType == NVTX_MESSAGE_TYPE_REGISTERED && event->message.registered) {
    message = event->message.registered->text;
  } else if (event && event->messageType == NVTX_MESSAGE_TYPE_UNICODE && event->message.unicode) {
    if (wcstombs(wide, event->message.unicode, sizeof(wide) - 1) != (size_t)-1) message = wide;
  }
  snprintf(text, HIPPORT_NVTX_LENGTH, "%s%s%s", domain ? domain->name : "", domain ? ": " : "", message);
  return text;
}

static inline char* hipport_nvtx_copy(const char* text) {
  size_t size = strlen(text ? text : "") + 1;
  char* copy = (char*)malloc(size);
  return copy ? (char*)memcpy(copy, text ? text : "", size) : copy;
}

static inline nvtxDomainHandle_t nvtxDomainCreateA(const char* name) {
  nvtxDomainHandle_t domain = (nvtxDomainHandle_t)malloc(sizeof(nvtxDomainRegistration));
  if (domain) domain->name = hipport_nvtx_copy(name);
  return domain;
}

static inline void nvtxDomainDestroy(nvtxDomainHandle_t domain) {
  if (domain) free(domain->name);
  free(domain);
}

// Registered strings live as long as the program, as in NVTX.
static inline nvtxStringHandle_t nvtxDomainRegisterStringA(nvtxDomainHandle_t domain, const char* text) {
  nvtxStringHandle_t handle = (nvtxStringHandle_t)malloc(sizeof(nvtxStringRegistration));
  (void)domain;
  if (handle) handle->text = hipport_nvtx_copy(text);
  return handle;
}

static inline void nvtxDomainMarkEx(nvtxDomainHandle_t domain, const nvtxEventAttributes_t* event) {
  char text[HIPPORT_NVTX_LENGTH];
  roctxMarkA(hipport_nvtx_text(text, domain, event));
}

static inline int nvtxDomainRangePushEx(nvtxDomainHandle_t domain, const nvtxEventAttributes_t* event) {
  char text[HIPPORT_NVTX_LENGTH];
  return roctxRangePushA(hipport_nvtx_text(text, domain, event));
}

static inline int nvtxDomainRangePop(nvtxDomainHandle_t domain) {
  (void)domain;
  return roctxRangePop();
}

static inline roctx_range_id_t nvtxDomainRangeStartEx(nvtxDomainHandle_t domain, const nvtxEventAttributes_t* event) {
  char text[HIPPORT_NVTX_LENGTH];
  return roctxRangeStartA(hipport_nvtx_text(text, domain, event));
}

static inline void nvtxDomainRangeEnd(nvtxDomainHandle_t domain, roctx_range_id_t range) {
  (void)domain;
  roctxRangeStop(range);
}

static inline void nvtxMarkEx(const nvtxEventAttributes_t* event) { nvtxDomainMarkEx(NULL, event); }

static inline int nvtxRangePushEx(const nvtxEventAttributes_t* event) { return nvtxDomainRangePushEx(NULL, event); }

static inline roctx_range_id_t nvtxRangeStartEx(const nvtxEventAttributes_t* event) {
  return nvtxDomainRangeStartEx(NULL, event);
}

// rocTX has nothing like these: the macros ignore their arguments, so any stream or event type is accepted.
#define nvtxInitialize(reserved) ((void)0)
#define nvtxNameCategoryA(category, name) ((void)(category), (void)(name))
#define nvtxDomainNameCategoryA(domain, category, name) ((void)(domain), (void)(category), (void)(name))
#define nvtxNameOsThreadA(thread, name) ((void)(thread), (void)(name))
#define nvtxNameCuDeviceA(device, name) ((void)(device), (void)(name))
#define nvtxNameCuContextA(context, name) ((void)(context), (void)(name))
#define nvtxNameCuStreamA(stream, name) ((void)(stream), (void)(name))
#define nvtxNameCuEventA(event, name) ((void)(event), (void)(name))
#define nvtxNameCudaDeviceA(device, name) ((void)(device), (void)(name))
#define nvtxNameCudaStreamA(stream, name) ((void)(stream), (void)(name))
#define nvtxNameCudaEventA(event, name) ((void)(event), (void)(name))

#define nvtxDomainCreate nvtxDomainCreateA
#define nvtxDomainRegisterString nvtxDomainRegisterStringA
#define nvtxDomainNameCategory nvtxDomainNameCategoryA
#define nvtxNameCategory nvtxNameCategoryA
#define nvtxNameOsThread nvtxNameOsThreadA
#define nvtxNameCuDevice nvtxNameCuDeviceA
#define nvtxNameCuContext nvtxNameCuContextA
#define nvtxNameCuStream nvtxNameCuStreamA
#define nvtxNameCuEvent nvtxNameCuEventA
#define nvtxNameCudaDevice nvtxNameCudaDeviceA
#define nvtxNameCudaStream nvtxNameCudaStreamA
#define nvtxNameCudaEvent nvtxNameCudaEventA

#endif

#endif
