// What a launch takes beside its work: empty CTAs, from one to a quarter of a million, by how many threads they have.
#include "probe.cuh"

// `out` is never null: nothing is written, and the compiler cannot know.
__global__ void probe_empty(int* out) {
  if (out == nullptr) *out = static_cast<int>(now_ns());
}

int main() {
  int* out = device_array<int>(1);
  for (const int threads : {32, 128, 256, 512, 1024})
    for (const int ctas : {1, 132, 1056, 8448, 33792, 65536, 131072, 262144}) {
      probe_empty<<<ctas, threads>>>(out);
      CHECK(cudaDeviceSynchronize());
      print_launch("{\"kind\": \"empty\", \"threads\": " + std::to_string(threads) +
                   ", \"ctas\": " + std::to_string(ctas) + "}");
    }
}
