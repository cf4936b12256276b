// Instructions of compiled kernels: the lines that they come from, and how many registers are live. The texts are as
// the PTX ISA and NVIDIA's binary utilities define them, and what is expected was counted by hand.
#include <doctest/doctest.h>

#include <vector>

#include "viz/scene/code_lines.h"

using namespace tl::viz;

namespace {

const char* const ptx = R"(
.visible .entry other(
)
{
	ret;
}
.visible .entry k(
	.param .u64 k_param_0
)
{
	.reg .pred 	%p<2>;
	.reg .f32 	%f<4>;
	.reg .b64 	%rd<3>;
	.loc	1 5 3
	ld.param.u64 	%rd1, [k_param_0];
	.loc	1 7 3
	.loc	2 40 1, function_name $L__info_string0, inlined_at 1 7 3
	.loc	3 90 1, function_name $L__info_string1, inlined_at 2 40 1
	ld.global.v2.f32 	{%f1, %f2}, [%rd1];
$L__BB0_1:
	.loc	1 9 3
	// begin inline asm
	{
	.reg .pred q;
WAIT:
	add.f32 	%f1, %f1, %f2; @%p1 bra WAIT;
	}
	setp.lt.f32 	%p1, %f1, %f2;
	@%p1 bra 	$L__BB0_1;
	.loc	2 41 1
	st.global.f32 	[%rd1], %f1;
	ret;
}
	.file	1 "/somewhere/kernels/k.h"
	.file	2 "/somewhere/device/context.h"
	.file	3 "/somewhere/device/load.h"
)";

}  // namespace

TEST_CASE("code: an instruction is of the line in the kernel that calls what was inlined") {
  std::vector<int> lines;
  for (const Instruction& i : instructions_of_ptx(ptx, "k", "kernels/k.h")) lines.push_back(i.line);
  CHECK(lines == std::vector{5, 7, 9, 9, 9, 9, 0, 0});
}

TEST_CASE("code: a value is live from where it is written to where it is last read, around a loop too") {
  std::vector<int> live;
  for (const Instruction& i : instructions_of_ptx(ptx, "k", "kernels/k.h")) live.push_back(i.live);
  // Before each: nothing; the address, two words; then it and f1, f2, which the loop reads again; at last it and f1.
  CHECK(live == std::vector{0, 2, 4, 4, 4, 4, 3, 0});
}

TEST_CASE("code: nvdisasm's lines say where machine code comes from, the innermost call first") {
  const char* const sass = R"(
	.section	.text.k,"ax",@progbits
.text.other:
        /*0000*/                   EXIT ;
.text.k:
	//## File "/somewhere/kernels/k.h", line 5
        /*0000*/                   LDC R1, c[0x0][0x28] ;
	//## File "/somewhere/device/load.h", line 90 inlined at "/somewhere/kernels/k.h", line 7
	//## File "/somewhere/kernels/k.h", line 7 inlined at "/somewhere/device/entry.h", line 159
	//## File "/somewhere/device/entry.h", line 159
        /*0010*/              @!P0 LDG.E.64 R2, [R2.64] ;
        /*0020*/                   BRA `(.L_x_1);
	//## File "/somewhere/device/entry.h", line 160
        /*0030*/                   EXIT ;
)";
  const auto code = instructions_of_sass(sass, "k", "kernels/k.h");
  REQUIRE(code.size() == 4);
  CHECK(code[0].line == 5);
  CHECK(code[1].line == 7);
  CHECK(code[1].text == "@!P0 LDG.E.64 R2, [R2.64]");
  CHECK(code[2].line == 7);
  CHECK(code[3].line == 0);
}
