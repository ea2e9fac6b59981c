"""English: errors about models, traces and questions of size, by code as (what happened, why, next step)."""

from __future__ import annotations

TABLE: dict[str, tuple[str, str, str]] = {
    "timm-unknown": (
        "timm has no model `{model}`",
        "Version {version} does not know the name[[; nearest: {nearest}]].",
        "Correct the name; timm.list_models('*{stem}*') lists what there is.",
    ),
    "trace-needs-library": (
        "This model cannot be traced without {library}",
        "{library} is not installed where Tradewind runs, or cannot be imported.",
        "pip install 'tradewind[trace]' (timm: pip install --no-deps timm), or give dimensions: --model params:7e9.",
    ),
    "hf-config-missing": (
        "There is no configuration `{file}`",
        "{why}.",
        "Give the path of a config.json, or of the folder it lies in, seen from the working directory.",
    ),
    "hf-config-broken": (
        "`{file}` is no configuration that transformers can make a model of",
        "{why}",
        "Take the config.json as it lies beside the model's weights; a new architecture may need a newer transformers.",
    ),
    "entrypoint-missing": (
        "The entry point `{entrypoint}` was not found",
        "[[There is no module `{module}`.]][[There is no function `{function}`; the module has: {others}.]]",
        "Write it as module:function, seen from the working directory of the job.",
    ),
    "entrypoint-not-a-model": (
        "The entry point `{entrypoint}` returns no model",
        "It returned {got}.",
        "Return a torch.nn.Module, or (module, inputs), or (module, inputs, loss).",
    ),
    "entrypoint-inputs-unknown": (
        "It is not known what `{entrypoint}` takes as input",
        "Its first layer, {layer}, does not say.",
        "Give --image-size or --sequence, or return (module, inputs); inputs may be a function of the batch size.",
    ),
    "model-raised": (
        "The code of `{model}` raised an error",
        "{error}[[\n{frames}]]",
        "The same call outside of Tradewind raises it, too.",
    ),
    "batch-mismatch": (
        "The inputs do not match the model `{model}`",
        "{error}[[\n{frames}]]",
        "Give --image-size or --sequence, or return inputs of the right shape; the first dimension is the samples.",
    ),
    "model-calls-cuda": (
        "The code of `{model}` asks for a GPU",
        "{error}[[\n{frames}]]",
        "Models are sized without one: return the model on the CPU and move it in the training script.",
    ),
    "model-reads-values": (
        "The code of `{model}` depends on the values of its tensors",
        "A trace has none ({operation})[[:\n{frames}]]",
        "Take the branch away for sizing, or give dimensions instead: --model params:7e9.",
    ),
    "adapter-nowhere": (
        "The model has no linear layers for `{adapter}`",
        "Adapters are put beside linear layers of repeated blocks.",
        "Size it without an adapter: --adapter none.",
    ),
    "trace-too-long": (
        "Tracing `{model}` took longer than {seconds} s and was ended",
        "The code may run without end, or the model is very deep.",
        "See whether building it ends by itself; or give dimensions: --model params:7e9, or --no-trace.",
    ),
    "trace-too-large": (
        "Tracing `{model}` took more than {gib} GiB of memory and was ended",
        "The code fills large tensors of its own while it builds the model.",
        "Load no weights and no data in the entry point; or give dimensions: --model params:7e9, or --no-trace.",
    ),
    "trace-died": (
        "The process that traces models ended without an answer (code {exit_code})",
        "[[It last said: {said}]]",
        "The model's code may end the process; or give dimensions: --model params:7e9, or --no-trace.",
    ),
    "flags-unreadable": (
        "What was asked for cannot be read; faults: {count}",
        "",
        "`tradewind size --help` says what each flag takes.",
    ),
    "model-reference-unreadable": (
        "[[`{key}`: ]]`{text}` names no model.[[ Did you mean `{nearest}`?]]",
        "Write one of: {choices}.",
        "",
    ),
    "preset-unknown": (
        "No preset is called `{name}`.[[ Did you mean {nearest}?]]",
        "[[There are: {known}.]]",
        "Name one of them, or a model of a library: timm:{name}",
    ),
    "profile-unknown": (
        "[[`{key}`: ]]no profile is called `{name}`.[[ Did you mean `{nearest}`?]]",
        "There are: {known}.",
        "tradewind size --model profile:small-cv",
    ),
    "image-size-unreadable": (
        "`{key}`: `{text}` is no image size.",
        "Write 224, or channels x height x width: 3x224x224.",
        "",
    ),
    "adapter-unreadable": ("`{key}`: `{text}` is no adapter.", "Write none, lora:R or qlora:R with the rank R.", ""),
    "nodes-unreadable": ("`{key}`: `{text}` is no number of machines.", "", "Write a whole number: 2"),
    "ladder-unreadable": ("`{key}`: `{text}` is no list of micro-batches.", "", "Write whole numbers: 512,384,256"),
    "nodes-indivisible": (
        "{gpus} GPUs cannot be spread alike over {nodes} machines",
        "--gpus counts the GPUs of all machines together.",
        "Give --gpus as a multiple of --nodes.",
    ),
    "architecture-unknown": (
        "transformers knows no model type `{architecture}`",
        "Version {version} is installed[[; nearest: {nearest}]].",
        "Correct model_type in the configuration, or install a transformers that knows it.",
    ),
    "row-unreadable": ("A row of the batch file cannot be read", "{why}", "Write one JSON object a line."),
    "row-not-object": (
        "A row of the batch file is no JSON object",
        "",
        'Write {"model": "preset:resnet50", "gpu": "A10"}',
    ),
    "row-crashed": (
        "A row of the batch file broke the program: {kind}",
        "{text}",
        "Please report it with the row; the other rows have their answers.",
    ),
    "batch-file-with-flags": (
        "--batch-file stands alone, but there is also: {names}",
        "Each row says everything itself.",
        "Put them into the rows, as keys with _.",
    ),
    "batch-file-missing": ("No such file: {path}", "", "Check the path, or write - to read from a pipe."),
    "batch-file-unreadable": ("{path} cannot be read", "{why}", "Write UTF-8 text, one JSON object a line."),
    "config-missing": (
        "No such file: {path}",
        "hf: takes the path of a config.json, or of the folder that holds it.",
        "Check the path.",
    ),
    "config-unreadable": (
        "{path} is no configuration of a model",
        "{why}",
        "Give the config.json that came with the model.",
    ),
    "not-traced-as-asked": (
        "This model can only be traced",
        "Tracing was turned off (--no-trace), and neither a preset nor dimensions are known.",
        "Leave --no-trace out, or give --model params:7e9.",
    ),
    "calibration-batch-unknown": (
        "A step without a batch size says nothing",
        "The job file gives no batch size.",
        "Add `training: {batch_size: 64}`.",
    ),
    "adapter-unknown": (
        "No adapter is called `{adapter}`",
        "There are: {known}.",
        "Give one of them, with the rank R.",
    ),
    "checkpointing-unknown": (
        "No way of activation checkpointing is called `{checkpointing}`",
        "There are: {known}.",
        "Give one of them.",
    ),
    "config-unknown": (
        "The configuration does not tell its layers, width and heads by a name that is known ({architecture})",
        "[[Nearest: {nearest}. ]]Known: {known}.",
        "Install `tradewind[trace]`, or give the number of parameters: --model params:7e9",
    ),
}
