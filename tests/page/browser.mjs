// A reader's way through the page: node browser.mjs FOLDER chromium|firefox [SCREENSHOTS]. Skipped, visibly, where there is no such browser.
import assert from 'node:assert';
import {execFileSync} from 'node:child_process';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import {pathToFileURL} from 'node:url';
import puppeteer from '../../viz/page/node_modules/puppeteer-core/lib/esm/puppeteer/puppeteer-core.js';
import {text_of} from './calls.mjs';
import {serve} from './serve.mjs';

const [folder, name, screenshots] = [path.resolve(process.argv[2]), process.argv[3], process.argv[4] && path.resolve(process.argv[4])];
const is_firefox = name === 'firefox';
const programs = is_firefox ? ['firefox-esr', 'firefox'] : ['chromium', 'chromium-browser', 'google-chrome'];
const program = programs.map((f) => `/usr/bin/${f}`).find(fs.existsSync);
if (!program) {
  console.log(`skipped: the page in ${name}. Fix: apt install ${programs[0]}`);
  process.exit(0);
}
if (screenshots) fs.mkdirSync(screenshots, {recursive: true});
const server = await serve(path.join(folder, 'dist'));
const browser = await puppeteer.launch({browser: is_firefox ? 'firefox' : 'chrome', executablePath: program, args: is_firefox ? [] : ['--no-sandbox', '--disable-gpu'], extraPrefsFirefox: {'dom.events.testing.asyncClipboard': true}, protocolTimeout: 240000});

const errors = [];
const open = async (url, viewport = {width: 1400, height: 900}, before) => {
  const page = await browser.newPage();
  if (before) await page.evaluateOnNewDocument(before);
  page.setDefaultTimeout(60000);
  page.on('pageerror', (e) => errors.push(String(e)));
  page.on('console', (m) => { if (['error', 'warn'].includes(m.type())) errors.push(m.text()); });
  await page.setViewport(viewport);
  await page.goto(url);
  await page.waitForSelector('body[data-ready]');
  return page;
};
const text = (page, selector) => page.$eval(selector, (e) => e.textContent);
const until = (page, selector, words) => page.waitForFunction((s, w) => document.querySelector(s).textContent.includes(w), {}, selector, words);
const press = async (page, key) => {
  await page.keyboard.down('Control');
  await page.keyboard.press(key);
  await page.keyboard.up('Control');
};
const paste = async (page, words) => {
  await page.focus('.cm-content');
  await press(page, 'a');
  if (is_firefox) {  // its events that are made hold no clipboard
    await page.evaluate((t) => navigator.clipboard.writeText(t), words);
    return press(page, 'v');
  }
  await page.evaluate((t) => {
    const clipboardData = new DataTransfer();
    clipboardData.setData('text/plain', t);
    document.querySelector('.cm-content').dispatchEvent(new ClipboardEvent('paste', {clipboardData, bubbles: true, cancelable: true}));
  }, words);
};
const shot = async (page, name, fullPage = false) => screenshots && page.screenshot({path: path.join(screenshots, `${name}.png`), fullPage});
const tab = async (page, name) => {
  await page.waitForFunction((n) => { const tab = [...document.querySelectorAll('#tabs button')].find((b) => b.textContent === n); tab?.click(); return tab; }, {}, name);
  await page.waitForFunction((n) => document.querySelector('#picture').dataset.panel === n, {}, name);
};
const done = (what) => console.log(`ok: ${what}`);

try {
  const page = await open(server.url);
  const times = await page.evaluate(() => window.tilescope_times);
  const paint = await page.evaluate(() => performance.getEntriesByName('first-contentful-paint')[0]?.startTime ?? 0);
  console.log(`first paint: ${paint.toFixed(0)} ms`);
  console.log(`first run with its picture: ${times.ready.toFixed(0)} ms after the navigation began, of it ${times.interpreter.toFixed(0)} ms until the interpreter stood`);
  assert.match(await text(page, '#result'), /line 12: tl\.store: program 1 races with program 0/);
  assert.match(await text(page, '#result'), /\[1 2 \? \? \? \?\]/);
  assert.ok(await page.$('#picture svg'));
  await shot(page, 'desk');
  done("the lecture's wrong copy races, at its line, with its picture");

  const before = await text(page, '#at');
  await page.click('[data-how=rn]');
  await page.waitForFunction((b) => document.querySelector('#at').textContent !== b, {}, before);
  assert.match(await text(page, '#variables'), /offs\[0 1\]/);
  await page.type('#line', 'p offs * 2');
  await page.keyboard.press('Enter');
  await until(page, '#answer', '[0 2]');
  done('steps back, and the debugger answers');

  await paste(page, text_of('copy.py'));
  await press(page, 'Enter');
  await until(page, '#result', '[1 2 3 4 5 6]');
  assert.match(await text(page, '#result'), /right: it agrees/);
  assert.equal(await text(page, '#about'), '', 'what was said of the first kernel is not true of this one');
  await page.focus('.cm-content');
  await page.keyboard.type('zzz');
  await press(page, 'z');
  assert.doesNotMatch(await text(page, '.cm-content'), /zzz/);
  done('mended and run by the keyboard; what is typed can be undone');

  await paste(page, text_of('copy_wrong.py') + '\n'.repeat(400));  // its end is shown then
  await press(page, 'Enter');
  await until(page, '#result', 'program 1 races');
  await page.waitForSelector('.cm-fault');
  done('a fault shows its line in a long text');

  await paste(page, text_of('guessed.py'));
  await page.click('#run');
  await until(page, '#status', 'programs');
  assert.match(await text(page, '#result'), /no fault, by every check/);
  await paste(page, 'import triton\nimport triton.language as tl\n\n@triton.jit\ndef f(x_ptr, x_stride):\n    if x_stride > 1:\n        tl.store(x_ptr + tl.program_id(0), 1.0)\n');
  await page.click('#run');
  await until(page, '#result', 'fill in x_stride');
  done('a kernel without a case runs on one that its text gives, or the form asks for the rest');

  await paste(page, text_of('copy.py').replace('offs < n', 'offs < (n'));
  await page.click('#run');
  await until(page, '#result', 'line 10: ');
  assert.equal(await page.$eval('#right', (e) => e.classList.contains('stale')), true);
  done('a syntax error at its line, the old picture faded');

  await paste(page, text_of('copy.py').replace('    mask = ', "    tl.device_print('</script><img src=x onerror=alert(1)>', pid)\n    mask = "));
  await page.click('#run');
  await until(page, '#result', '</script><img src=x onerror=alert(1)>');
  assert.equal(await page.$('#result img'), null);
  done('markup in a kernel is text');

  await paste(page, text_of('copy.py').replace('    mask = ', '    while pid < 9:\n        big = tl.exp(tl.zeros((1048576,), tl.float32))\n    mask = '));
  await page.click('#run');
  await page.waitForFunction(() => document.querySelector('#status').textContent === 'runs');
  await new Promise((wait) => setTimeout(wait, 500));
  await page.click('#stop');
  await until(page, '#status', 'stopped');
  const stopped = Date.now();
  await page.select('#example', '2');
  await until(page, '#result', 'z f32[1000]');
  console.log(`another kernel had run ${Date.now() - stopped} ms after Stop`);
  done('an endless loop is stopped');

  await page.select('#example', '3');
  await until(page, '#result', 'f32[8, 13]');
  await tab(page, 'softmax');
  for (const name of ['memory', 'timeline', 'limits', 'schedule']) await tab(page, name);
  await until(page, '#picture', 'NVIDIA H200');
  await page.select('#gpu', 't4');
  await until(page, '#picture', 'T4');
  await page.select('#example', '4');
  await until(page, '#result', 'f16[64, 64]');
  await tab(page, 'order');
  await shot(page, 'matmul');
  done('softmax, matmul: their pictures, the schedule of another GPU');

  await tab(page, 'chip');
  await page.waitForSelector('.film canvas');
  assert.match(await text(page, '.film h1'), /T4.*: 16 programs/);
  await page.focus('.film canvas');
  await page.keyboard.press('Home');
  await until(page, '.film output', '0.00 of');
  await page.keyboard.press('n');
  await page.waitForFunction(() => !document.querySelector('.film output').textContent.startsWith('0.00'));
  const first_tile = await text(page, '.film output');
  await page.click('[data-how=rs]');
  await until(page, '#at', 'step');
  assert.equal(await text(page, '.film output'), first_tile, 'a step of the run begins the film anew');
  await shot(page, 'chip');
  done('the chip plays the launch, by the keyboard, while the steps go on');

  await page.focus('.film canvas');
  await page.keyboard.press('t');
  await until(page, '.film .caption', '16 programs go to 40 SMs');
  await page.keyboard.press('ArrowRight');
  await until(page, '.film .caption', 'asks for its first tile');
  await page.keyboard.press(' ');  // stops anywhere
  const stands = await text(page, '.film output');
  await shot(page, 'tour');
  assert.equal(await text(page, '.film output'), stands);
  await page.keyboard.press('Escape');
  await page.waitForFunction(() => document.querySelector('.film .caption').hidden);
  done('the tour tells the launch, stops and ends');

  await page.select('#example', 'lesson 01_copy');
  await until(page, '#lesson', 'How many of the six elements of z will be right?');
  assert.equal(await page.$eval('#right', (e) => e.classList.contains('empty')), true, 'an earlier picture gives the answer away');
  await page.$$eval('.guess button', (all) => all[0].click());
  await until(page, '#lesson', 'the run says 2.');
  const answer = async (heading, guess) => {  // to the first question under it
    await page.evaluate((h, g) => {
      const d = [...document.querySelectorAll('details')].find((one) => one.querySelector('summary').textContent === `A question: ${h}`);
      d.open = true;
      const choice = [...d.querySelectorAll('.guess button')].find((b) => b.textContent === g);
      if (choice) return choice.click();
      d.querySelector('.guess input').value = g;
      d.querySelector('.guess').requestSubmit();
    }, heading, guess);
  };
  await answer('First a small one', '3');
  await until(page, '#lesson', 'So it was in the wrong one');
  await answer('Explain', 'mask');
  await until(page, '#lesson', 'of these positions it is right');
  await page.click('#check');  // as it begins
  await until(page, '#result', 'every program stores to the same block of z');
  await page.click('#hint');
  await until(page, '#lesson', 'hint 1 of 3');
  await shot(page, 'lesson');
  const language = () => page.$$eval('#lesson button', (all) => all.find((b) => ['中文', 'English'].includes(b.textContent)).click());
  await language();
  await until(page, '#lesson', '复制');
  await until(page, '#hint', '提示');
  assert.deepEqual([await text(page, '#check'), await text(page, '#variables caption')], ['检查', '变量'], 'the frame, too');
  await page.click('#check');
  await until(page, '#result', '都写 z 的同一块');
  await language();
  await until(page, '#lesson', 'Copy:');
  assert.equal(await text(page, '#check'), 'Check');
  await paste(page, fs.readFileSync(path.join(import.meta.dirname, '../../lessons/01_copy/solution.py'), 'utf8'));
  await page.focus('.cm-content');
  await press(page, 'Enter');
  await until(page, '#result', 'passes all 8 trials');
  assert.equal(await page.$$eval('#result .good > div', (all) => all.some((e) => !e.hidden && e.textContent.includes('as the best known'))), false, 'the score tells what is asked');
  await answer('Your kernel', '97');
  await until(page, '#result', 'Right: 97.');
  await page.waitForFunction(() => [...document.querySelectorAll('#result .good > div')].some((e) => !e.hidden && e.textContent.includes('as the best known')));
  await page.waitForFunction(() => [...document.querySelectorAll('#example option')].some((o) => o.textContent.includes('✓')));
  await shot(page, 'lesson_passed');
  await page.click('#next');
  await until(page, '#lesson', 'Add');
  await page.waitForFunction(() => document.activeElement.id === 'lesson');  // the keyboard goes on from its text
  done('lesson 1: its prediction and questions, wrong and right, a hint, in Chinese, the next one');

  await page.select('#example', 'lesson puzzles/01_plus_ten');
  await until(page, '#lesson', 'Ten more');
  await paste(page, fs.readFileSync(path.join(import.meta.dirname, '../../lessons/puzzles/01_plus_ten/solution.py'), 'utf8'));
  await page.click('#check');
  await until(page, '#result', 'passes all 7 trials');
  await shot(page, 'puzzle');
  done('a puzzle is passed');

  await page.select('#example', '-1');
  await paste(page, text_of('two.py'));
  await page.waitForSelector('#kernel');
  await page.select('#kernel', 'two');
  await page.$eval('#word_z', (e) => { e.value = 'out:i32[4]'; e.dispatchEvent(new Event('change')); });
  await until(page, '#result', 'z i32[4]');
  await page.$eval('#word_grid', (e) => { e.value = '4'; e.dispatchEvent(new Event('change')); });
  await until(page, '#result', '[0 2 4 6]');
  await shot(page, 'case');
  done('a text without a case is asked for one');

  await page.click('#share');
  await page.waitForFunction(() => location.hash.startsWith('#k='));
  const link = page.url();
  const guest = await open(link);
  assert.match(await text(guest, '#result'), /\[0 2 4 6\]/);
  assert.equal(await guest.$eval('#kernel', (e) => e.value), 'two');
  await guest.close();
  const broken = await open(`${server.url}#k=nonsense`);
  await until(broken, '#about', 'This link is damaged');
  await until(broken, '#result', 'program 1 races');
  await broken.close();
  done('a link holds the text, the kernel and the case; a damaged one does no harm');

  const kernels = path.join(import.meta.dirname, 'kernels');
  await page.$eval('#case', (e) => { e.open = true; });
  await (await page.$('#files')).uploadFile(...['rows.py', 'helpers.py', 'x.npy'].map((f) => path.join(kernels, f)));
  await until(page, '#result', '[2 4 6 8 10 12]');
  assert.equal(await page.$eval('#word_x', (e) => e.value), '@x.npy');
  await paste(page, text_of('rows.py').replace('from helpers', 'from pack.of.helpers'));
  await page.click('#run');
  await until(page, '#status', 'helpers.py is not in this page');
  await (await page.$('#files')).uploadFile(path.join(kernels, 'helpers.py'));
  await until(page, '#result', '[2 4 6 8 10 12]');
  await page.evaluate((bytes) => {
    const data = new DataTransfer();
    data.items.add(new File([new Uint8Array(bytes)], 'dropped.npy'));
    document.querySelector('#word_x').dispatchEvent(new DragEvent('drop', {dataTransfer: data, bubbles: true, cancelable: true}));
  }, [...fs.readFileSync(path.join(kernels, 'x.npy'))]);
  await page.waitForFunction(() => document.querySelector('#word_x').value === '@dropped.npy');
  await until(page, '#result', '[2 4 6 8 10 12]');
  await (await page.$('#files')).uploadFile(path.join(kernels, 'x.npy'));
  await page.waitForFunction(() => document.querySelector('#word_x').value === '@x.npy');
  await page.click('#share');
  await until(page, '#status', 'but not x.npy');
  const receiver = await open(page.url());
  await until(receiver, '#result', '"x.npy" cannot be read');  // its helper came with the link
  await until(receiver, '#status', 'x.npy is not in this page: choose it');
  await receiver.close();
  await page.select('#example', '0');
  await until(page, '#result', 'program 1 races');
  done('a kernel with its helper and its array, chosen and dropped; the helper goes with a link');

  const phone = await open(server.url, {width: 390, height: 844, deviceScaleFactor: 2, isMobile: true, hasTouch: true});
  assert.ok(await phone.evaluate(() => document.documentElement.scrollWidth <= innerWidth), 'the page is wider than a telephone');
  await shot(phone, 'telephone', true);
  await phone.click('#theme');
  await phone.close();
  await page.bringToFront();
  if (is_firefox) await page.click('#theme');
  else await page.emulateMediaFeatures([{name: 'prefers-color-scheme', value: 'dark'}]);
  await page.reload();
  await page.waitForSelector('body[data-ready]');
  await shot(page, 'dark');
  done('a telephone in one column, light and dark');

  const file = await open(pathToFileURL(path.join(folder, 'tilescope.html')).href);
  await until(file, '#result', 'program 1 races with program 0');
  await file.close();
  done('one file, opened from a disk');
  const tilescope = path.join(folder, '../tilescope'), mailed = path.join(folder, 'mailed.html');
  const softmax = path.join(fs.mkdtempSync(path.join(os.tmpdir(), 'page')), 'softmax.py');
  fs.writeFileSync(softmax, text_of('softmax.py'));
  execFileSync(tilescope, ['page', softmax, 'rows=4', '--panel', 'softmax', '-o', mailed]);
  const mail = await open(pathToFileURL(mailed).href);
  await until(mail, '#result', 'f32[4, 13]');
  assert.equal(await mail.$eval('#picture', (e) => e.dataset.panel), 'softmax');
  await mail.close();
  const notebook = path.join(folder, 'notebook.html');  // as a run's _repr_html_ has it
  fs.writeFileSync(notebook, `<iframe sandbox="allow-scripts" style="width:1200px;height:700px" srcdoc="${fs.readFileSync(mailed, 'utf8').replaceAll('&', '&amp;').replaceAll('"', '&quot;')}"></iframe>`);
  const cell = await browser.newPage();
  cell.on('console', (m) => { if (['error', 'warn'].includes(m.type())) errors.push(m.text()); });
  await cell.goto(pathToFileURL(notebook).href);
  const frame = await (await cell.waitForSelector('iframe')).contentFrame();
  await frame.waitForSelector('body[data-ready]', {timeout: 60000});
  assert.match(await text(frame, '#result'), /f32\[4, 13\]/);
  assert.match(await text(frame, '#status'), /4 programs/, 'a frame keeps nothing, and need not say so');
  assert.equal(await frame.$eval('#share', (e) => e.hidden), true);
  await cell.close();
  done("in a notebook's frame, cut off from it");
  execFileSync(tilescope, ['page', 'rows.py', '-o', mailed], {cwd: kernels});
  const whole = await open(pathToFileURL(mailed).href);
  await until(whole, '#result', '[2 4 6 8 10 12]');
  await whole.close();
  done('`tilescope page` writes the file with a kernel in it, with its helper and its array');
  assert.deepEqual(errors, []);
  done('no error in the console');

  // A reader who hears the page: each picture has a name and is told in words, each field has a label.
  const heard = await open(server.url);
  const panels = await heard.$$eval('#tabs button', (all) => all.map((b) => b.textContent));
  for (const panel of panels.filter((p) => !['chip', 'schedule'].includes(p))) {
    await tab(heard, panel);
    assert.ok(await heard.$eval('#picture svg', (e) => e.getAttribute('role') === 'img' && (e.querySelector('title')?.textContent || e.getAttribute('aria-label'))), `the picture ${panel} has no name`);
    assert.ok((await text(heard, '#as_text pre')).length > 40, `the picture ${panel} is not told in words`);
  }
  const nameless = await heard.$$eval('button, input, select, canvas, summary, [tabindex]', (all) => all.filter((e) =>
    !(e.ariaLabel || e.getAttribute('aria-label') || e.title || e.textContent.trim() || e.labels?.length || e.role === 'tabpanel')).map((e) => e.outerHTML));
  assert.deepEqual(nameless, []);
  await heard.close();
  done('each picture has a name and a text, each control a label');

  // What a browser may lack: a sentence each.
  const poor = await open(server.url, {width: 1280, height: 800}, () => { Storage.prototype.setItem = () => { throw new DOMException('full', 'QuotaExceededError'); }; });
  await until(poor, '#status', 'its storage is full, or this is a private window');
  await paste(poor, text_of('copy.py').replace(/# case:.*/, '# case: x=f32[n]:zeros z=out:f32[n] n=900000000 bs=1024 grid=1'));
  await press(poor, 'Enter');
  await until(poor, '#result', 'does not fit in memory');
  await paste(poor, text_of('copy.py'));
  await press(poor, 'Enter');
  await until(poor, '#result', '[1 2 3 4 5 6]');
  await poor.close();
  const old = await browser.newPage();
  await old.evaluateOnNewDocument(() => { WebAssembly.compileStreaming = WebAssembly.compile = async () => { throw new WebAssembly.CompileError('invalid opcode 0xfd, SIMD is missing'); }; });
  await old.goto(server.url);
  await until(old, '#status', 'It needs a browser of 2023 or later');
  await old.close();
  done('a full storage, memory at its end, no SIMD: a sentence each, and the page goes on');
} finally {
  await browser.close();
  server.close();
}
