// SPDX-License-Identifier: MIT
// Translates sequences of operations to machine code of the host, for fuse.cpp.
#pragma once

#include "block_versions.h"
#include "emit.h"
#include "linear.h"

#include <map>
#include <optional>
#include <vector>

namespace hipport::emulate {

// A sequence: the operations from `first` on, `count` of them; the last one may end it. If all lanes are active, it goes
// on behind operations that leave them so.
struct Sequence {
  size_t first, count;
  bool ends;

  // Return where the operations end that are performed in any case.
  size_t end() const { return first + count - (ends ? 1 : 0); }
};

// Registers of the host: kWave, kRows; all else is free.
class Translator {
 public:
  // `set` is not kNone.
  // Without `liveness`, what registers hold in the end matters. `versions` receives those of sequences that are gone on with.
  Translator(const std::vector<Op>& operations, unsigned lanes, VectorSet set, const Liveness* liveness,
             BlockVersions* versions = nullptr)
      : operations_(operations),
        lanes_(lanes),
        liveness_(liveness),
        versions_(versions),
        assembler_(Assembler::make(set)),
        code_(*assembler_) {}

  // Translate a sequence, in the forms for some lanes and for all. Return where in the code the translation begins.
  size_t add(const Sequence& some, const Sequence& full, bool keeps_registers);
  // Translate a sequence for all lanes, the usual mode, and what is known of registers. Returns the same.
  size_t add_version(const Sequence& full, const Values& values, bool keeps_registers);
  // Translate a sequence that ends the program for all wavefronts of a row of threads at once, at the beginning of the code.
  // Return false if it does more than that allows: the code is of no use then.
  bool add_group(const Sequence& full, Values values, unsigned wavefronts);
  // Return all code, when nothing is to be added.
  const std::vector<uint8_t>& finished();

 private:
  void begin();
  // Write the code for all lanes, with what is known of registers, and what it exits to.
  void add_full(const Sequence& sequence, Values values, bool keeps_registers);
  void body(const Sequence& sequence, Lanes active);
  void leave(const Sequence& sequence);
  // The same with what is known of registers, where all lanes are active.
  void leave_known(const Sequence& sequence, const Values& values);
  void go_to_known(const Op& next, Values values);
  void wait_known(const Op& next, Values values);
  // Return the operation to go on with: the version for some values, which change to what it takes, or the one for any.
  const Op& version_of(const Op& next, Values& values);
  // Return the jump that is made if a branch is taken, or nothing if the operation is no such one.
  std::optional<size_t> branch_if(const Op& branch);
  // Go on with the function of an operation, or return it.
  void leave_for(const Op& op);
  void go_to(const Op& next);
  void end_program();
  void prepare(const Op& op);
  void finish();
  // Return the operation that ends the program, if nothing is done before it.
  const Op* end_of_program(size_t at) const;
  // Return the last operation of a sequence that does something, but for the one that ends it; null if there is none.
  const Op* last_of(const Sequence& sequence) const;

  // Return whether something reads what an operation writes to scc.
  bool needs_scc(const Op& op) const;
  void perform(Emitter& emitter, const Op& op, Lanes active);
  // Return false if the code for any values must go on with the operation.
  bool perform_known(LinearTranslator& linear, Emitter& run, Values& values, const Op& op);
  // The same for all wavefronts of a row of threads. Return false if the operation cannot be translated for them.
  bool perform_for_group(LinearTranslator& linear, Emitter& run, const Op& op);
  // Add a load of local memory to the run, if addresses turn out to be rows; the code for any values goes on otherwise.
  bool add_local_load(LinearTranslator& linear, Emitter& run, Values& values, const Op& op);
  // Addresses of local memory, and whether they are taken to be one for each 16 lanes.
  struct Group {
    unsigned slot;
    bool is_one;
  };
  void group_addresses_of(LinearTranslator& linear, const Op& op, unsigned number, const Group& group, uint32_t extent);
  // Call an operation's function, which needs rows.
  void call(LinearTranslator& linear, Values& values, const Op& op);
  void forget_addresses(LinearTranslator& linear, const Operand& changed);
  // Call it, or do the same here if `all` lanes are active and access rows.
  void call(const Op& op, bool all);

  const std::vector<Op>& operations_;
  unsigned lanes_;
  const Liveness* liveness_;
  BlockVersions* versions_;
  std::unique_ptr<Assembler> assembler_;
  Assembler& code_;
  std::map<unsigned, Group> grouped_;   // of Wave::grouped, by the register of the addresses
  std::map<const Op*, size_t> places_;  // of operations to which code for linear registers exits
};

}  // namespace hipport::emulate
