// The frame's words in a lesson's language: a key is the English sentence, {} stands for what it names.
const words = {
  zh: {
    'Check stands for tilescope learn check. ': '"Check" 相当于 tilescope learn check。',
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
  },
};

// `language`: '' is English.
export const in_words = (language, english, ...values) => {
  let next = 0;
  return (words[language]?.[english] ?? english).replace(/\{\}/g, () => values[next++]);
};
