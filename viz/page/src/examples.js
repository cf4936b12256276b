// Kernels to start from: a file of examples/ each, or a case there and the text of kernels/triton, and a line here.
import add from '../examples/add.py';
import copy from '../examples/copy.py';
import copy_wrong from '../examples/copy_wrong.py';
import matmul_head from '../examples/grouped_matmul.head';
import softmax_head from '../examples/softmax.head';
import matmul from '../../../kernels/triton/grouped_matmul.py';
import softmax from '../../../kernels/triton/softmax.py';

export const examples = [
  {name: 'copy, wrong', panel: 'offsets', text: copy_wrong,
    about: 'Three programs shall copy six numbers, two each. This kernel is wrong on purpose: which elements will be written? Guess, then look at the picture.'},
  {name: 'copy', panel: 'offsets', text: copy, about: 'Each program has offsets of its own: two of the six elements.'},
  {name: 'add', panel: 'memory', text: add, about: 'The last program has lanes behind the end of x: the mask keeps them from memory.'},
  {name: 'softmax', panel: 'softmax', text: softmax_head + softmax, about: 'A row a turn, thirteen columns in a block of sixteen. What do the masked lanes hold?'},
  {name: 'matmul', panel: 'matmul', text: matmul_head + matmul, about: 'Which tiles does a program load, and in which order do the programs run?'},
];
