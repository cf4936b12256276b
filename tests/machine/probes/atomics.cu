// How fast L2 adds: lanes that add to one address, to one line, to lines that many or few others add to, integers and
// floats, through red (no result) as our kernels do.
#include "probe.cuh"

// Where a lane adds: `spread` lines, a warp to one of them; its lanes to `lanes` addresses of that line, or each to an
// address of its own somewhere in all of them (lanes 0).
template <class T>
__global__ void probe_add(T* out, int spread, int lanes, int adds) {
  const unsigned warp = (blockIdx.x * blockDim.x + threadIdx.x) / 32, lane = threadIdx.x % 32;
  for (int i = 0; i < adds; ++i) {
    unsigned h = (lanes ? warp : warp * 32 + lane) * 2654435761u + i * 40503u;
    h = (h ^ h >> 15) * 2246822519u;
    h ^= h >> 13;
    const unsigned at = lanes ? h % spread * 32 + lane % lanes : h % (spread * 32u);
    atomicAdd(out + at, T(1));
  }
}

template <class T>
void add_all(const char* type, T* out) {
  for (const int lanes : {0, 1, 8, 32})
    for (const int spread : {1, 2, 8, 32, 64, 256, 4096, 262144}) {
      const int adds = spread < 256 ? 2 : 16, ctas = 2112;
      probe_add<<<ctas, 128>>>(out, spread, lanes, adds);
      CHECK(cudaDeviceSynchronize());
      print_launch("{\"kind\": \"add\", \"type\": \"" + std::string(type) +
                   "\", \"addresses_a_warp\": " + std::to_string(lanes) + ", \"lines\": " + std::to_string(spread) +
                   ", \"adds\": " + std::to_string(ctas * 128LL * adds) + "}");
    }
}

int main() {
  add_all("int", device_array<int>(262144 * 32));
  add_all("float", device_array<float>(262144 * 32));
}
