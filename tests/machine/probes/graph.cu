// What a launch takes in a graph of many, as `bench` times short ones: CTAs that do nothing, by how many there are.
//   nvcc -O2 -std=c++17 -arch=sm_90a -o graph graph.cu && ./graph
#include <algorithm>
#include <cstdio>
#include <vector>

#include "probe.cuh"

__global__ void probe_empty(int* out) {
  if (out == nullptr) *out = 1;
}

int main() {
  constexpr int launches = 64;
  int* const out = device_array<int>(1);
  cudaStream_t stream;
  CHECK(cudaStreamCreate(&stream));
  cudaEvent_t begin, end;
  CHECK(cudaEventCreate(&begin));
  CHECK(cudaEventCreate(&end));
  for (const int threads : {32, 128, 256, 512})
    for (const int ctas : {1, 132, 264, 528, 1056, 1320, 4224, 16896}) {
      cudaGraph_t graph;
      cudaGraphExec_t ready;
      CHECK(cudaStreamBeginCapture(stream, cudaStreamCaptureModeThreadLocal));
      for (int i = 0; i < launches; ++i) probe_empty<<<ctas, threads, 0, stream>>>(out);
      CHECK(cudaStreamEndCapture(stream, &graph));
      CHECK(cudaGraphInstantiate(&ready, graph, 0));
      std::vector<float> ms(41);
      for (float& one : ms) {
        CHECK(cudaEventRecord(begin, stream));
        CHECK(cudaGraphLaunch(ready, stream));
        CHECK(cudaEventRecord(end, stream));
        CHECK(cudaEventSynchronize(end));
        CHECK(cudaEventElapsedTime(&one, begin, end));
      }
      std::sort(ms.begin(), ms.end());
      std::printf("LAUNCH {\"kind\": \"graph\", \"threads\": %d, \"ctas\": %d, \"ns\": %.0f}\n", threads, ctas,
                  1e6 * double(ms[20]) / launches);
      CHECK(cudaGraphExecDestroy(ready));
      CHECK(cudaGraphDestroy(graph));
    }
}
