"""Operators of PyTorch by kind, as their schemas name them (2.13, 2026-11); pointwise ones are known by their tag."""

from __future__ import annotations

_BY_KIND = {
    "norm": """
        native_batch_norm native_layer_norm native_group_norm _fused_rms_norm native_batch_norm_backward
        native_layer_norm_backward native_group_norm_backward _fused_rms_norm_backward _batch_norm_with_update
        _native_batch_norm_legit _native_batch_norm_legit_functional _native_batch_norm_legit_no_training
        batch_norm_backward cudnn_batch_norm linalg_vector_norm
    """,
    "softmax": """
        _softmax _log_softmax _softmax_backward_data _log_softmax_backward_data logsumexp
    """,
    "copy": """
        _to_copy clone copy_ cat stack constant_pad_nd roll slice_backward select_backward repeat
        slice_scatter select_scatter flip fill_ zero_ zeros_like full_like ones_like new_zeros zeros full ones
        as_strided_scatter reflection_pad2d replication_pad2d col2im im2col unfold_backward contiguous
        index_fill_ _pad_circular pixel_shuffle pixel_unshuffle channel_shuffle split_with_sizes_copy new_full
        new_ones tril triu arange
    """,
    "reduce": """
        sum mean amax amin max min argmax var var_mean std_mean any all avg_pool2d avg_pool2d_backward
        max_pool2d_with_indices max_pool2d_with_indices_backward _adaptive_avg_pool2d
        _adaptive_avg_pool2d_backward adaptive_max_pool2d adaptive_max_pool2d_backward nll_loss_forward
        nll_loss_backward cumsum topk sort histc bincount nll_loss2d_forward nll_loss2d_backward prod norm avg_pool3d
        max_pool3d_with_indices avg_pool3d_backward max_pool3d_with_indices_backward _adaptive_avg_pool3d
        _adaptive_avg_pool3d_backward
    """,
    "elementwise": """
        hardswish floor_divide
    """,
    "gather": """
        embedding embedding_dense_backward index index_put index_put_ _unsafe_index gather scatter scatter_add
        index_select scatter_ scatter_add_ index_add index_add_ upsample_nearest2d upsample_bilinear2d
        upsample_bicubic2d upsample_nearest2d_backward upsample_bilinear2d_backward
        upsample_bicubic2d_backward grid_sampler_2d grid_sampler_2d_backward masked_select nonzero
        masked_scatter _index_put_impl_ _unsafe_index_put
    """,
    "random": """
        native_dropout native_dropout_backward bernoulli bernoulli_ rand rand_like randn randn_like randint
        uniform_ normal_ randperm multinomial exponential_
    """,
}
KINDS = {name: kind for kind, names in _BY_KIND.items() for name in names.split()}

_NOTHING_NEW = """
    detach alias lift_fresh lift_fresh_copy _unsafe_view empty empty_like empty_strided new_empty new_empty_strided
    _local_scalar_dense resize_ set_ _reshape_alias item is_same_size scalar_tensor empty_permuted set_data detach_
    unsqueeze_ squeeze_ transpose_ t_ requires_grad_ is_pinned _assert_async
"""
FREE = frozenset(_NOTHING_NEW.split())  # views, metadata, memory that is not written
