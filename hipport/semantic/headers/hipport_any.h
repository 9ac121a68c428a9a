// A value of a type that is not known: it is made from anything, becomes anything and compares with anything.
#pragma once

#ifdef __cplusplus
struct hipport_any {
  hipport_any() = default;
  template <class T>
  hipport_any(const T&);
  template <class T>
  operator T() const;
  template <class T>
  bool operator==(const T&) const;
  template <class T>
  bool operator!=(const T&) const;
};
#endif
