// OpenMP of a page, which has one thread: threads need headers that static hosts do not send.
#pragma once

inline int omp_get_max_threads() { return 1; }
inline int omp_get_thread_num() { return 0; }
