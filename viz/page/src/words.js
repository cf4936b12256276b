// The frame's words in the language of the lesson that is open: a key is the English sentence, {} stands for what it names.
const words = {
  zh: {
    'Check stands for tilescope learn check. ': '“检查”相当于 tilescope learn check。',
    'your guess': '你的猜测',
    'your guess, before you look': '先写下你的猜测，再看答案',
    'Guess': '提交猜测',
    'Just show me': '直接看答案',
    'A hint': '提示',
    'hint {} of {}: ': '提示 {} / {}：',
    'A question: {}': '提问：{}',
    'First a small one': '先来一个小问题',
    'Your kernel': '你的 kernel',
    'Explain': '解释',
    'Break it': '弄坏它',
    'Vary': '变一变',
    'Quiz': '小测验',
    'The solution in Triton': 'Triton 写的答案',
    'line {}: ': '第 {} 行：',
    'with {}; {} of {} trials went well': '试验：{}；{} / {} 个试验通过',
    'passes all {} trials': '全部 {} 个试验通过',
    '{} {}, as the best known': '{} {}，与已知最好的相同',
    '{} {}, the best known {}': '{} {}，已知最好的是 {}',
    'Next: {}': '下一课：{}',
    'start from': '从这里开始',
    'Run': '运行',
    'Check': '检查',
    'Stop': '停止',
    'Share': '分享',
    'The case: what it runs on': '用例：在什么数据上运行',
    'Write it into the text': '写进程序里',
    'files: .npy of arguments, .py that it imports': '文件：参数的 .npy，程序导入的 .py',
    'The pictures and the steps of your kernel appear here, once it runs.': 'kernel 运行以后，图和步骤会出现在这里。',
    'The picture as text': '图的文字说明',
    'Variables': '变量',
    'The last op': '最近的一个 op',
    'debugger': '调试器',
    'guess, write the kernel, then Check': '先猜测，写好 kernel，再点“检查”',
    'runs': '运行中',
    'checks': '检查中',
    'stopped': '已停止',
    'it did not run': '没能运行',
    'checked in {} ms': '检查用了 {} ms',
    '{} programs, {} ms': '{} 个 program，{} ms',
    'step {} of {}': '第 {} / {} 步',
    ', next: {}': '，下一步：{}',
    'The picture and the steps are of the run with {}.': '图和步骤来自这次运行：{}。',
    'right: it {}, and no check found a fault': '正确：{}，各项检查没有发现错误',
    'wrong: {}': '错误：{}',
    'and {} more': '还有 {} 个',
  },
};

let language = '';  // '' is English

export const say = (english, ...values) => {
  let next = 0;
  return (words[language]?.[english] ?? english).replace(/\{\}/g, () => values[next++]);
};

// From now on the frame speaks it: what is written in index.html with data-word, and what is said.
export const speak = (chosen) => {
  language = chosen;
  document.documentElement.lang = language || 'en';
  for (const e of document.querySelectorAll('[data-word]')) {
    e.dataset.word ||= e.textContent;
    e.textContent = say(e.dataset.word);
  }
};
