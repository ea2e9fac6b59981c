"""Counts what the demo's job file says of its model and data, and prints it as JSON."""

import json
import runpy
import sys

import torch
from torch.utils.flop_counter import FlopCounterMode

BATCH = 64


def saved_bytes(model: torch.nn.Module, images: torch.Tensor, labels: torch.Tensor) -> int:
    """Bytes that the forward pass keeps for the backward pass, parameters not counted, shared memory once."""
    parameters = {parameter.data_ptr() for parameter in model.parameters()}
    kept: dict[int, torch.UntypedStorage] = {}

    def pack(tensor: torch.Tensor) -> torch.Tensor:
        storage = tensor.untyped_storage()
        if storage.data_ptr() not in parameters:
            kept[storage.data_ptr()] = storage
        return tensor

    with torch.autograd.graph.saved_tensors_hooks(pack, lambda tensor: tensor):
        loss = torch.nn.functional.cross_entropy(model(images), labels)
    assert loss.requires_grad
    return sum(storage.nbytes() for storage in kept.values())


def main(train: str) -> None:
    torch.set_num_threads(1)
    example = runpy.run_path(train)
    model: torch.nn.Module = example["build_model"]()
    images, labels = torch.randn(BATCH, 1, 8, 8), torch.zeros(BATCH, dtype=torch.int64)
    with FlopCounterMode(display=False) as counter:
        model(images)
    train_images, test_images, _, test_labels = example["load_data"]()
    told = {
        "parameters": sum(parameter.numel() for parameter in model.parameters()),
        "flops_per_sample": counter.get_total_flops() / BATCH,
        "activation_bytes_per_sample": saved_bytes(model, images, labels) / BATCH,
        "batch_size": example["BATCH"],
        "samples": len(train_images),
        "test_samples": len(test_images),
        "test_digits": test_labels.bincount().tolist(),
    }
    print(json.dumps(told))


main(sys.argv[1])
