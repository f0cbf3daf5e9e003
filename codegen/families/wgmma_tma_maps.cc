// What the kernel's boxes are, told to the driver (templates/tw/mainloop/operand_boxes.cuh,
// templates/tw/epilogue/slab_store.cuh).
// SPDX-License-Identifier: Apache-2.0
#include "codegen/families/wgmma_tma.h"

namespace tw {

namespace {

// 256 would fetch lines that nobody asked for where a leading dimension is not a multiple of it.
constexpr int kL2Promotion = 128;

// A matrix in memory: `inner` contiguous elements, `outer` lines, and a batch of them.
struct Matrix {
  MapOperand which;
  const Operand& op;
  std::int64_t inner, outer;
};

TensorMapRecipe MapOf(const Matrix& matrix, std::int64_t batch, int rank) {
  const std::int64_t bytes = BytesOf(matrix.op.type);
  TensorMapRecipe map;
  map.operand = matrix.which;
  map.type = matrix.op.type;
  map.rank = rank;
  map.dims[0] = matrix.inner;
  map.dims[1] = matrix.outer;
  map.strides[0] = matrix.op.ld * bytes;
  map.box[0] = map.box[1] = 1;
  if (rank == 3) {
    map.dims[2] = batch;
    map.strides[1] = matrix.op.batch_stride * bytes;
    map.box[2] = 1;
  }
  map.l2_promotion_bytes = kL2Promotion;
  return map;
}

struct Tile {
  std::int64_t extent;  // of the problem along mn
  int size;             // of the tile
  int shares;           // blocks that load it together
  bool k_major;
  int rank;
};

TensorMapRecipe OperandMap(const GemmProblem& problem,
                           MapOperand which,
                           const Operand& op,
                           const Tile& tile,
                           int block_k) {
  const std::int64_t inner = tile.k_major ? problem.k : tile.extent;
  const std::int64_t outer = tile.k_major ? tile.extent : problem.k;
  TensorMapRecipe map = MapOf({which, op, inner, outer}, problem.batch, tile.rank);
  map.box[0] = tile.k_major ? block_k : wgmma_tma::kStripRows;
  map.box[1] = tile.k_major ? tile.size / tile.shares : block_k;
  map.swizzle_bytes = wgmma_tma::kLineBytes;
  return map;
}

// `width`: columns of the piece, in the kernel's sense.
TensorMapRecipe OutputMap(const GemmProblem& problem, const wgmma_tma::Plan& plan, int width) {
  const bool d_rows = problem.d.major == Major::kRow;
  const Matrix matrix{MapOperand::kD, problem.d, d_rows ? problem.n : problem.m,
                      d_rows ? problem.m : problem.n};
  const int piece = wgmma_tma::kLineBytes / plan.out_bytes;
  TensorMapRecipe map = MapOf(matrix, problem.batch, plan.out_map_rank);
  map.box[0] = plan.lines_are_rows ? width : piece;
  map.box[1] = plan.lines_are_rows ? wgmma_tma::kStripRows : width;
  map.swizzle_bytes = map.box[0] == piece ? wgmma_tma::kLineBytes : 0;
  return map;
}

}  // namespace

std::vector<TensorMapRecipe> WgmmaTmaMaps(const GemmProblem& problem, const wgmma_tma::Plan& plan) {
  const Tile a{problem.m, plan.swap ? plan.tile_cols : plan.tile_rows,
               plan.swap ? plan.cluster_rows : plan.cluster_cols, problem.a.major == Major::kRow,
               plan.swap ? plan.col_map_rank : plan.row_map_rank};
  const Tile b{problem.n, plan.swap ? plan.tile_rows : plan.tile_cols,
               plan.swap ? plan.cluster_cols : plan.cluster_rows, problem.b.major == Major::kCol,
               plan.swap ? plan.row_map_rank : plan.col_map_rank};
  const int block_k = BlockK(plan);
  const TensorMapRecipe map_a = OperandMap(problem, MapOperand::kA, problem.a, a, block_k);
  const TensorMapRecipe map_b = OperandMap(problem, MapOperand::kB, problem.b, b, block_k);
  std::vector<TensorMapRecipe> maps = {plan.swap ? map_b : map_a, plan.swap ? map_a : map_b};
  if (!plan.tma_store) {
    maps.insert(maps.end(), 2, maps.back());
    return maps;
  }
  const int piece = wgmma_tma::kLineBytes / plan.out_bytes;
  const int rest = plan.tile_cols % piece;
  maps.push_back(OutputMap(problem, plan, plan.tile_cols < piece ? rest : piece));
  maps.push_back(OutputMap(problem, plan, rest == 0 ? piece : rest));
  return maps;
}

}  // namespace tw
