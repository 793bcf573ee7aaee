/* SPDX-License-Identifier: MIT */
/* llvm_target: LLVM's objects for one processor, shared by the files that implement llvm.h. */
#ifndef TAKT_ISA_LLVM_TARGET_HPP
#define TAKT_ISA_LLVM_TARGET_HPP

#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include <llvm/MC/MCAsmInfo.h>
#include <llvm/MC/MCCodeEmitter.h>
#include <llvm/MC/MCContext.h>
#include <llvm/MC/MCDisassembler/MCDisassembler.h>
#include <llvm/MC/MCInst.h>
#include <llvm/MC/MCInstPrinter.h>
#include <llvm/MC/MCInstrAnalysis.h>
#include <llvm/MC/MCInstrInfo.h>
#include <llvm/MC/MCRegisterInfo.h>
#include <llvm/MC/MCSubtargetInfo.h>
#include <llvm/MC/MCTargetOptions.h>
#include <llvm/MC/TargetRegistry.h>
#include <llvm/MCA/CustomBehaviour.h>

#include "isa/llvm_targets.hpp"

extern "C" {
#include "isa/llvm.h"
}

struct takt_llvm_target {
	mutable std::mutex lock; /* protects everything below: LLVM's objects are not thread-safe */
	std::string triple, cpu, features;
	llvm::Triple parsed; /* the parsed `triple` */
	const llvm::Target *target;
	llvm::MCTargetOptions options;
	std::unique_ptr<llvm::MCRegisterInfo> registers;
	std::unique_ptr<llvm::MCAsmInfo> asm_info;
	std::unique_ptr<llvm::MCInstrInfo> instructions;
	std::unique_ptr<llvm::MCSubtargetInfo> subtarget;
	std::unique_ptr<llvm::MCContext> context;
	std::unique_ptr<llvm::MCDisassembler> disassembler;
	std::unique_ptr<llvm::MCInstrAnalysis> analysis;
	std::unique_ptr<llvm::MCInstPrinter> printer;
	std::unique_ptr<llvm::mca::InstrumentManager> instruments; /* NULL if there are none */
	std::unique_ptr<llvm::MCCodeEmitter> emitter;		   /* made on first need */
	mutable std::vector<std::string> location_names; /* [location], made on first need */

	takt_llvm_processor processor;
	std::vector<takt_llvm_register> parts; /* [LLVM's register] */
	std::vector<uint32_t> resource_units;  /* [LLVM's resource] masks */

	/* The instruction of which further samples of one opcode are variants. */
	unsigned sample_opcode = 0;
	bool sample_found = false;
	llvm::MCInst sample;
};

namespace takt
{

/* Decode an instruction; return its size, or 0 if none starts there. */
unsigned decode_inst(const takt_llvm_target &target, const uint8_t *bytes, size_t size_bytes,
		     uint64_t address, llvm::MCInst &ret_inst);

/* llvm_registers.cpp: number the locations, and give them the names that people use. */
void number_locations(takt_llvm_target &target);
void name_locations(const takt_llvm_target &target);

/* llvm_schedule.cpp */
void describe_processor(takt_llvm_target &target);
/* Return the class of an instruction with variants resolved, 0 if the model lacks it. */
unsigned scheduling_class_of(const takt_llvm_target &target, const llvm::MCInst &inst);
/* Resolve the variants of class `number` for an instruction; 0 if the model lacks it. */
unsigned resolve_class(const takt_llvm_target &target, const llvm::MCInst &inst, unsigned number);
bool describe_class(const takt_llvm_target &target, unsigned number,
		    takt_llvm_schedule &ret_schedule);

/* llvm_instrument.cpp: settings of the vector unit, for `set` and `classify` of llvm.h. */
void make_instruments(takt_llvm_target &target);
bool set_instrument(const takt_llvm_target &target, const char *kind, const char *data,
		    takt_llvm_settings &settings);
unsigned class_under(const takt_llvm_target &target, const llvm::MCInst &inst,
		     takt_llvm_settings &settings, takt_llvm_setting_use &ret_use);

/* llvm_sample.cpp */
void count_class_uses(const takt_llvm_target &target, takt_llvm_class_use *ret_uses);
int build_sample(takt_llvm_target &target, unsigned opcode, unsigned variant,
		 uint8_t ret_bytes[16]);

} // namespace takt

#endif
