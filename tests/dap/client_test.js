// `tilescope dap`, driven by a client of other people: @vscode/debugadapter-testsupport, which VS Code's own debuggers are tested with.
// Usage: node --test client_test.js, with TILESCOPE_PROGRAM the program.
'use strict';

const assert = require('node:assert');
const fs = require('node:fs');
const os = require('node:os');
const path = require('node:path');
const {after, afterEach, beforeEach, test} = require('node:test');
const {DebugClient} = require('@vscode/debugadapter-testsupport');

const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'tilescope_dap_'));
after(() => fs.rmSync(folder, {recursive: true}));

function write(name, body) {
  const file = path.join(folder, name);
  fs.writeFileSync(file, `// case: n=70 BLOCK=32 x=f32[n]:iota y=out:f32[n] grid=cdiv(n, BLOCK)
#include "interp/tl.h"
auto twice(auto& tl, auto x) {
  auto doubled = x * 2;
  return doubled;
}
struct kernel {
  void operator()(auto& tl, tl::ptr auto x_ptr, tl::ptr auto y_ptr, tl::int_ auto n, tl::constexpr_ auto BLOCK) const {
    auto offs = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK);
    auto mask = offs < n;
${body}
  }
};
`);
  return file;
}
const loads = '    auto x = tl.load(x_ptr + offs, {.mask = mask});  // line 11\n';
const good = loads + '    auto y = twice(tl, x);\n    tl.store(y_ptr + offs, y, {.mask = mask});';

let client, said;
beforeEach(async () => {
  said = '';
  client = new DebugClient(process.env.TILESCOPE_PROGRAM, 'dap', 'tilescope', {cwd: '/'});
  client.on('output', (event) => said += event.body.output);
  client.defaultTimeout = 120000;
  await client.start();
});
afterEach(() => client.stop());

const launch = (args) => Promise.all([client.waitForEvent('initialized'), client.launch(args)]);
const names = (variables) => variables.map((v) => v.name);

// Sends a request that moves, and returns where it led.
async function moved(request, args = {}) {
  const stop = client.waitForEvent('stopped');
  await client.customRequest(request, args);
  const {body} = await stop;
  const frames = (await client.stackTraceRequest({threadId: body.threadId})).body.stackFrames;
  return {...body, line: frames[0].line, frames};
}
const begin = (args) => launch(args).then(() => moved('configurationDone'));

async function scope(frame, name) {
  const {scopes} = (await client.scopesRequest({frameId: frame.id})).body;
  const {variablesReference} = scopes.find((s) => s.name === name);
  return (await client.variablesRequest({variablesReference})).body.variables;
}
const opened = async (variable, page = {}) =>
    (await client.variablesRequest({variablesReference: variable.variablesReference, ...page})).body.variables;
const value = async (expression, frameId) => (await client.evaluateRequest({expression, frameId, context: 'hover'})).body.result;
const refused = (promise) => promise.then(() => assert.fail('it was not refused'), (error) => error.message);

test('a breakpoint stops in the program and at the line', () =>
    client.hitBreakpoint({program: write('good.h', good)}, {path: path.join(folder, 'good.h'), line: 11}));

test('a program may be told from the folder of the session', async () => {
  const file = write('good.h', good);
  await launch({program: 'good.h', cwd: folder});
  await client.setBreakpointsRequest({source: {path: file}, breakpoints: [{line: 11}]});
  assert.strictEqual((await moved('configurationDone')).frames[0].source.path, file);
});

test('conditions are expressions of the debugger, conditions on program ids, or both', async () => {
  const file = write('good.h', good);
  await launch({program: file});
  const set = (condition) => client.setBreakpointsRequest({source: {path: file}, breakpoints: [{line: 11, condition}]});
  await set('pid =1');
  assert.strictEqual((await moved('configurationDone')).threadId, 2);
  await set('any(offs > 68) pid >0');
  assert.strictEqual((await moved('continue', {threadId: 2})).threadId, 3);
  const [wrong] = (await set('any(offs >')).body.breakpoints;
  assert.strictEqual(wrong.verified, false);
  assert.match(wrong.message, /position 11: expected a name or a number/);
});

test('a condition on program ids counts its axes', async () => {
  await launch({program: 'lecture_matmul', case: 'm=32 n=32 k=16', stopOnEntry: true});
  const {source, line} = (await moved('configurationDone')).frames[0];
  await client.setBreakpointsRequest({source, breakpoints: [{line: line + 1, condition: 'pid ==1'}]});
  const at = await moved('continue');  // of a grid of 2 x 2 the first whose program_id(0) is 1
  assert.deepStrictEqual([at.threadId, at.line], [2, line + 1]);
});

test('a hit count passes those before it', async () => {
  const file = write('good.h', good);
  await launch({program: file});
  await client.setBreakpointsRequest({source: {path: file}, breakpoints: [{line: 11, hitCondition: '3'}]});
  assert.strictEqual((await moved('configurationDone')).threadId, 3);
});

test('programs are threads, and a block opens lane by lane, a page at a time', async () => {
  const file = write('good.h', good);
  await launch({program: file});
  await client.setBreakpointsRequest({source: {path: file}, breakpoints: [{line: 12, condition: 'pid =1'}]});
  const at = await moved('configurationDone');
  assert.deepStrictEqual(names((await client.threadsRequest()).body.threads),
                         ['program (0,0,0)', 'program (1,0,0)', 'program (2,0,0)']);
  const variables = await scope(at.frames[0], 'Variables');
  const x = variables.find((v) => v.name === 'x');
  assert.strictEqual(x.indexedVariables, 32);
  const page = await opened(x, {filter: 'indexed', start: 5, count: 2});
  assert.deepStrictEqual(page.map((v) => [v.name, v.value, v.evaluateName]), [['[5]', '37', 'x[5]'], ['[6]', '38', 'x[6]']]);
  assert.strictEqual((await opened(x)).length, 32);
  assert.strictEqual(await value('sum(offs)', at.frames[0].id), String(32 * 32 + 31 * 16));
});

test('a tensor shows what is written so far', async () => {
  const at = await begin({program: write('good.h', good), stopOnEntry: true});
  const before = await opened((await scope(at.frames[0], 'Tensors')).find((v) => v.name === 'y'), {start: 3, count: 1});
  assert.strictEqual(before[0].value, '?');
  await moved('stepOut', {threadId: 1});
  const end = (await client.stackTraceRequest({threadId: 1})).body.stackFrames[0];
  const after = await opened((await scope(end, 'Tensors')).find((v) => v.name === 'y'), {start: 3, count: 1});
  assert.strictEqual(after[0].value, '6');
});

test('a block of two axes opens by rows', async () => {
  await launch({program: 'lecture_matmul', case: 'm=32 n=32 k=32', pid: '=1,=0'});
  const at = await moved('configurationDone');
  const row = (await client.evaluateRequest({expression: 'b[2:5, 1:4]', frameId: at.frames[0].id})).body;
  assert.strictEqual(row.indexedVariables, 3);
  const first = await opened(row);
  assert.deepStrictEqual(names(first), ['[0]', '[1]', '[2]']);
  assert.strictEqual((await opened(first[1]))[2].evaluateName, '(b[2:5, 1:4])[1, 2]');
});

test('step in enters a helper, step out leaves it, step back returns', async () => {
  const file = write('good.h', good);
  await launch({program: file});
  await client.setBreakpointsRequest({source: {path: file}, breakpoints: [{line: 12}]});
  assert.strictEqual((await moved('configurationDone')).line, 12);
  const inside = await moved('stepIn', {threadId: 1});
  assert.deepStrictEqual(inside.frames.map((f) => [f.name, f.line]), [['twice', 4], ['kernel', 12]]);
  assert.strictEqual(await value('sum(x)', inside.frames[0].id), String(31 * 16));
  assert.strictEqual((await moved('stepOut', {threadId: 1})).line, 13);
  assert.strictEqual((await moved('stepBack', {threadId: 1})).line, 12);
  assert.strictEqual((await moved('next', {threadId: 1})).line, 13);
});

// Of lines 5 and 6 the helper is made; the kernel begins in line 9.
const python = `# case: n=70 BLOCK=32 x=f32[n]:iota y=out:f32[n] grid=cdiv(n, BLOCK)
import triton
import triton.language as tl
@triton.jit
def twice(v):
    doubled = v * 2
    return doubled
@triton.jit
def kernel(x_ptr, y_ptr, n, BLOCK: tl.constexpr):
    offs = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    x = tl.load(x_ptr + offs, mask=offs < n)
    y = twice(x)
    tl.store(y_ptr + offs, y, mask=offs < n)
`;
function write_python(name, text = python) {
  const file = path.join(folder, name);
  fs.writeFileSync(file, text);
  return file;
}

test('Python: a breakpoint by line, the frames of a helper, its variables, and every step there and back', async () => {
  const file = write_python('good.py');
  await launch({program: file});
  const {breakpoints} = (await client.setBreakpointsRequest({source: {path: file}, breakpoints: [{line: 12, condition: 'pid =1'}]})).body;
  assert.deepStrictEqual(breakpoints.map((b) => [b.verified, b.line]), [[true, 12]]);
  const at = await moved('configurationDone');
  assert.deepStrictEqual([at.threadId, at.line, at.frames[0].source.path], [2, 12, file]);
  const inside = await moved('stepIn', {threadId: 2});
  assert.deepStrictEqual(inside.frames.map((f) => [f.name, f.line]), [['twice', 6], ['kernel', 12]]);
  assert.deepStrictEqual(names(await scope(inside.frames[0], 'Variables')), ['v']);
  assert.ok(names(await scope(inside.frames[1], 'Variables')).includes('offs'));
  assert.strictEqual(await value('v[3]', inside.frames[0].id), '35');
  assert.strictEqual(await value('x[3] + n', inside.frames[1].id), '105');
  assert.strictEqual((await moved('stepOut', {threadId: 2})).line, 13);
  assert.strictEqual((await moved('stepBack', {threadId: 2})).line, 12);
  assert.strictEqual((await moved('next', {threadId: 2})).line, 13);
  assert.strictEqual((await moved('reverseContinue', {threadId: 2})).line, 12);
});

test('Python: a function breakpoint, a fault in the notation of the text, and a text that is refused', async () => {
  const program = write_python('fault.py', python.replace('v * 2', 'tl.load(v) * 2').replace('twice(x)', 'twice(x_ptr + offs)'));
  await launch({program});
  const {breakpoints} = (await client.setFunctionBreakpointsRequest({breakpoints: [{name: 'twice'}, {name: 'twise'}]})).body;
  assert.deepStrictEqual(breakpoints.map((b) => [b.verified, b.line]), [[true, 6], [false, undefined]]);
  assert.match(breakpoints[1].message, /no function is called twise\n  fix: did you mean twice\?/);
  assert.deepStrictEqual((await moved('configurationDone')).frames.map((f) => [f.name, f.line]), [['twice', 6], ['kernel', 12]]);
  await client.setFunctionBreakpointsRequest({breakpoints: []});
  const fault = await moved('continue', {threadId: 1});
  assert.deepStrictEqual([fault.reason, fault.threadId, fault.frames[0].name], ['exception', 3, 'twice']);
  assert.match((await client.exceptionInfoRequest({threadId: 3})).body.description, /fault.py:6: tl.load: lane 6 of program 2/);
});

test('Python: a mistake in the text is refused with its line', async () => {
  const program = write_python('typo.py', python.replace('tl.load', 'tl.lod'));
  assert.match(await refused(client.launch({program})), /typo.py:11:12: triton.language has no lod/);
});

test('a watched cell stops at its store, backwards too', async () => {
  await launch({program: write('good.h', good)});
  const {dataId} = (await client.dataBreakpointInfoRequest({name: 'y[40]'})).body;
  await client.setDataBreakpointsRequest({breakpoints: [{dataId, accessType: 'write'}]});
  const forwards = await moved('configurationDone');
  assert.deepStrictEqual([forwards.reason, forwards.threadId], ['data breakpoint', 2]);
  assert.match(forwards.description, /y\[40\]: never written, now 80, stored by lane 8 of line 13/);
  assert.strictEqual((await moved('continue', {threadId: 2})).reason, 'end');
  const backwards = await moved('reverseContinue', {threadId: 3});
  assert.deepStrictEqual([backwards.reason, backwards.threadId, backwards.line], ['data breakpoint', 2, 13]);
  assert.strictEqual((await moved('reverseContinue', {threadId: 2})).reason, 'start');
});

test('what is no cell of a tensor cannot be watched', async () => {
  const at = await begin({program: 'add', stopOnEntry: true});
  const [{variablesReference}] = (await client.scopesRequest({frameId: at.frames[0].id})).body.scopes;
  const info = (await client.dataBreakpointInfoRequest({name: 'pid', variablesReference})).body;
  assert.strictEqual(info.dataId, null);
});

test('a fault stops with the text of the terminal, unless faults are not asked for', async () => {
  const program = write('outside.h', '    auto x = tl.load(x_ptr + offs);\n    tl.store(y_ptr + offs, x, {.mask = mask});');
  const at = await begin({program});
  assert.deepStrictEqual([at.reason, at.threadId, at.line], ['exception', 3, 11]);
  assert.match(said, /outside.h:11: tl.load: lane 6 of program 2 is out of bounds/);
  const info = (await client.exceptionInfoRequest({threadId: 3})).body;
  assert.strictEqual(info.exceptionId, 'out of bounds');
  assert.match(info.description, /outside.h:11: tl.load: lane 6 of program 2 is out of bounds[^]*fix: pass {.mask = offs < 70}/);
  await moved('reverseContinue', {threadId: 3});
  await client.setExceptionBreakpointsRequest({filters: []});
  assert.strictEqual((await moved('continue', {threadId: 1})).reason, 'end');
});

test('wrong values stop where they are stored, and `why` tells their cause', async () => {
  const program = path.join(folder, 'scaled.py');
  fs.writeFileSync(program, `# case: n=70 BLOCK=32 x=f32[n]:iota y=out:f32[n] grid=cdiv(n,BLOCK) expect='y = x * 2'
@triton.jit
def scaled(x_ptr, y_ptr, n, BLOCK: tl.constexpr):
    offs = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    x = tl.load(x_ptr + offs, mask=offs < n)
    tl.store(y_ptr + offs, x + 2, mask=offs < n)
`);
  await launch({program});
  await client.setExceptionBreakpointsRequest({filters: ['wrong']});
  const at = await moved('configurationDone');
  assert.deepStrictEqual([at.threadId, at.line], [1, 6]);
  assert.match(at.description, /stores y\[0\], which is wrong/);
  for (const context of ['repl', 'watch']) {
    const {result} = (await client.evaluateRequest({expression: 'why y[5]', context})).body;
    assert.match(result, /y\[5\] is 7, the reference says 10\nwhy: scaled.py:6: \+: is \* meant/);
  }
});

test('a fault within a helper stands there, with its variables and its caller', async () => {
  const text = fs.readFileSync(write('within.h', '    tl.store(y_ptr + offs, twice(tl, x_ptr + offs), {.mask = mask});'), 'utf8');
  const program = path.join(folder, 'within.h');
  fs.writeFileSync(program, text.replace('auto doubled = x * 2', 'auto doubled = tl.load(x) * 2'));
  const at = await begin({program});
  assert.deepStrictEqual(at.frames.map((f) => [f.name, f.line]), [['twice', 4], ['kernel', 11]]);
  assert.ok(names(await scope(at.frames[0], 'Variables')).includes('x'));
  assert.ok(names(await scope(at.frames[1], 'Variables')).includes('mask'));
  assert.strictEqual((await moved('stepBack', {threadId: 3})).line, 11);
});

test('every attribute that VS Code offers is taken', async () => {
  const {contributes} = require('../../interp/dap/editors/vscode/package.json');
  const {properties, required} = contributes.debuggers[0].configurationAttributes.launch;
  assert.deepStrictEqual(required, ['program']);
  const values = {program: write('good.h', good), case: ['n=40'], grid: 'cdiv(n, BLOCK)', pid: '=1', stopOnEntry: true,
                  seed: 3, programs: 2, budget: 64, stepLimit: 100, cwd: folder};
  assert.deepStrictEqual(Object.keys(values).sort(), Object.keys(properties).sort());
  const at = await begin(values);
  assert.deepStrictEqual([at.reason, at.threadId], ['entry', 2]);
});

test('the run ends at its end, and then the session', async () => {
  assert.strictEqual((await begin({program: 'add'})).reason, 'end');
  const exit = client.waitForEvent('exited'), over = client.waitForEvent('terminated');
  await client.continueRequest({threadId: 1});
  assert.strictEqual((await exit).body.exitCode, 0);
  await over;
});

test('the text of a built-in kernel, which is no file, comes from the recording', async () => {
  const at = await begin({program: 'add', stopOnEntry: true});
  const {source, line} = at.frames[0];
  assert.strictEqual(source.path, undefined);
  const {content} = (await client.sourceRequest({source, sourceReference: source.sourceReference})).body;
  assert.match(content.split('\n')[line - 1], /program_id/);
  await client.setBreakpointsRequest({source, breakpoints: [{line: line + 2}]});
  assert.strictEqual((await moved('continue', {threadId: 1})).line, line + 2);
});

test('the console takes the debugger\'s commands, those that move too', async () => {
  await begin({program: write('good.h', good), stopOnEntry: true});
  const typed = async (expression) => (await client.evaluateRequest({expression, context: 'repl'})).body.result;
  assert.match(await typed('info args'), /BLOCK = 32/);
  const stop = client.waitForEvent('stopped');
  await typed('program 2');
  assert.strictEqual((await stop).body.threadId, 3);
  assert.match(await refused(typed('nothing + 1')), /no variable or tensor is called nothing here/);
});

test('a kernel that does not compile is refused with the compiler\'s finding', async () => {
  const text = await refused(client.launch({program: write('typo.h', '    auto x = tl.lod(x_ptr + offs);')}));
  assert.match(text, /typo.h:11:17: tl has no op "lod"/);
});

test('a kernel that crashes is refused with what the terminal says', async () => {
  const crash = '    volatile int* nowhere = nullptr;\n    *nowhere = 1;\n' + good;
  assert.match(await refused(client.launch({program: write('crash.h', crash)})), /read or wrote through a null pointer/);
});

test('a kernel that never ends is stopped by terminate', async () => {
  const begun = path.join(folder, 'begun');
  const program = write('endless.h', `    fclose(fopen("${begun}", "w"));\n    for (volatile int i = 0; i == 0;) {}\n${good}`);
  fs.writeFileSync(program, fs.readFileSync(program, 'utf8').replace('#include', '#include <stdio.h>\n#include'));
  const launched = refused(client.launch({program}));
  const over = client.waitForEvent('terminated');
  while (!fs.existsSync(begun)) await new Promise((again) => setTimeout(again, 20));
  await client.terminateRequest();
  assert.match(await launched, /stopped before the end/);
  await over;
});

test('what a kernel prints with C++ does not reach the protocol', async () => {
  const program = write('prints.h', '    __builtin_printf("Content-Length: 3\\n\\n{}");\n' + good);
  assert.strictEqual((await begin({program})).reason, 'end');
});

test('wrong use is refused, and the session goes on', async () => {
  await client.initializeRequest();
  assert.match(await refused(client.threadsRequest()), /nothing is being debugged/);
  assert.match(await refused(client.launchRequest({})), /the request has no "program"/);
  assert.match(await refused(client.launchRequest({program: 'nothing.h'})), /nothing.h/);
  assert.match(await refused(client.launchRequest({program: 'softmx'})), /did you mean softmax\?/);
  assert.match(await refused(client.launchRequest({program: 'add', case: 'm=3'})), /no setting "m"/);
  assert.match(await refused(client.launchRequest({program: 'add', case: [3]})), /holds something that is not a text/);
  assert.match(await refused(client.launchRequest({program: 'add', cases: 'n=3'})), /did you mean "case"\?/);
  assert.match(await refused(client.customRequest('fly')), /no request "fly"/);
  await client.launchRequest({program: 'add'});
  assert.match(await refused(client.stackTraceRequest({threadId: 99})), /no thread 99/);
  assert.match(await refused(client.variablesRequest({variablesReference: 7})), /no variablesReference 7/);
  assert.match(await refused(client.evaluateRequest({})), /the request has no "expression"/);
});
