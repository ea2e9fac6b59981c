"""What Python source says without being run: options, constants, calls; and what it tells of a training."""

from __future__ import annotations

import textwrap

import pytest

from tradewind.app.starting import models, saving, signs
from tradewind.app.starting.code import Code, read


def code(text: str, name: str = "train.py") -> Code:
    found = read(name, textwrap.dedent(text))
    assert isinstance(found, Code), f"not Python from line {found} on"
    return found


def value(seen: signs.Seen | None) -> object:
    return seen.value if seen else None


@pytest.mark.parametrize(
    ("text", "batch", "epochs"),
    [
        ('p.add_argument("-b", "--batch-size", type=int, default=64)\np.add_argument("--epochs", default=90)', 64, 90),
        ('p.add_argument("--bs", default=32)\np.add_argument("--n-epochs", default=int(os.getenv("E", "7")))', 32, 7),
        ('p.add_argument("--batch-size", dest="batch", default=2 * 8)', 16, None),
        ('p.add_argument("--batch-size", type=int)\np.add_argument("--epochs", default=SIZES["big"])', None, None),
        ('@click.option("--batch-size", default=24)\n@click.option("--epochs", default=1_000)\ndef f(): ...', 24, 1000),
        ("BATCH_SIZE = 128\nEPOCHS = 3", 128, 3),
        ("def main():\n    batch_size = 12\n    epochs = 5", 12, 5),
        ("@dataclass\nclass Config:\n    batch_size: int = 48\n    num_epochs: int = field(default=4)", 48, 4),
        ("DataLoader(test, batch_size=500)\nDataLoader(images, batch_size=50, shuffle=True)", 50, None),
        (
            "TrainingArguments(per_device_train_batch_size=4, gradient_accumulation_steps=8, num_train_epochs=3.0)",
            32,
            3,
        ),
        ("model.fit(x, y, batch_size=BATCH, epochs=20)\nBATCH = 96", 96, 20),
        ("yolo.train(data='coco.yaml', epochs=100, batch=16)", 16, 100),
        ("batch_size = 0\nepochs = -1", None, None),
        ("batch_size = True\nepochs = 'many'", None, None),
        ("epochs = 3\nepochs = 4", None, None),  # which of them holds, only a run tells
        ("batch_size = 10 ** 12 * 10 ** 12\nepochs = 1 // 0", None, None),
    ],
)
def test_batch_and_epochs_are_read_from_what_the_script_says(text: str, batch: int | None, epochs: int | None) -> None:
    found = code(text)
    assert (value(signs.batch_size(found)), value(signs.count(found, signs.EPOCHS))) == (batch, epochs)


def test_what_the_command_line_can_change_goes_before_what_is_fixed_and_each_has_its_line() -> None:
    found = code("""
        EPOCHS = 1
        loader = DataLoader(images, batch_size=8, shuffle=True)
        parser.add_argument("--epochs", default=2)
    """)
    assert signs.count(found, signs.EPOCHS) == signs.Seen(2, "train.py", 4)
    assert signs.batch_size(found) == signs.Seen(8, "train.py", 3)


@pytest.mark.parametrize(
    ("text", "optimizer"),
    [
        ("torch.optim.AdamW(model.parameters(), lr=1e-3)", "adamw"),
        ("torch.optim.SGD(params, lr=0.1, momentum=0.9)", "sgd"),
        ("torch.optim.SGD(params, lr=0.1)", "sgd-plain"),
        ("bnb.optim.Adam8bit(params)", "adamw-8bit"),
        ('TrainingArguments(optim="adamw_bnb_8bit")', "adamw-8bit"),
        ('p.add_argument("--opt", default="lamb")', "lamb"),
        ('model.compile(optimizer="adam")', "adam"),
        ("my.own.Descent(params)", None),
    ],
)
def test_the_optimizer_that_is_made_or_named(text: str, optimizer: str | None) -> None:
    assert value(signs.optimizer(code(text))) == optimizer


@pytest.mark.parametrize(
    ("text", "precision"),
    [
        ('with torch.autocast("cuda", dtype=torch.bfloat16): pass', "amp-bf16"),
        ("with torch.cuda.amp.autocast(): pass", "amp-fp16"),
        ("with torch.autocast('cuda', enabled=args.amp): pass", None),
        ("TrainingArguments(bf16=True)", "amp-bf16"),
        ("TrainingArguments(bf16=False, fp16=True)", "amp-fp16"),
        ('L.Trainer(precision="bf16-mixed")', "amp-bf16"),
        ("L.Trainer(precision=16)", "amp-fp16"),
        ('Accelerator(mixed_precision="fp16")', "amp-fp16"),
        ('AutoModelForCausalLM.from_pretrained("m", torch_dtype=torch.bfloat16)', "bf16-true"),
        ('keras.mixed_precision.set_global_policy("mixed_bfloat16")', "amp-bf16"),
        ("torch.set_printoptions(precision=4)", None),
        ("x = torch.zeros(2)", None),
    ],
)
def test_the_precision_that_calls_ask_for(text: str, precision: str | None) -> None:
    assert value(signs.precision(code(text))) == precision


@pytest.mark.parametrize(
    ("text", "names", "model"),
    [
        ('timm.create_model("vit_tiny_patch16_224.augreg_in21k")', (), ("timm", "vit_tiny_patch16_224.augreg_in21k")),
        ('p.add_argument("--model", default="resnet50")\ntimm.create_model(args.model)', (), ("preset", "resnet50")),
        ("torchvision.models.resnet50(weights=None)", (), ("preset", "resnet50")),
        ('AutoModelForCausalLM.from_pretrained("meta-llama/Meta-Llama-3-8B")', (), ("preset", "llama-3-8b")),
        ('AutoModel.from_pretrained("./base")', ("base/config.json",), ("hf", "base/config.json")),
        ('AutoModel.from_pretrained("somebody/unheard-of")', (), None),
        ('AutoTokenizer.from_pretrained("meta-llama/Meta-Llama-3-8B")', (), None),
        ('timm.create_model(f"resnet{depth}")', (), None),
        ("import transformers", ("config.json",), ("hf", "config.json")),
        ("def build_model(width=8): ...\nif __name__ == '__main__': main()", (), ("entrypoint", "train:build_model")),
        ("def build_model(width): ...\nif __name__ == '__main__': main()", (), None),
        ("def build_model(): ...\nfor step in range(9): work()", (), None),  # an import would train
    ],
)
def test_the_model_by_name_by_its_config_or_by_a_function(
    text: str, names: tuple[str, ...], model: tuple[str, str] | None
) -> None:
    found = models.model(code(text), frozenset(names))
    assert (found and (found[0], found[1].value)) == model


def test_a_function_of_a_script_that_cannot_be_imported_is_no_entrypoint() -> None:
    text = "def build_model(): ...\nif __name__ == '__main__': main()"
    assert models.model(code(text, "pretrain/my model.py"), frozenset()) is None
    found = models.model(code(text, "代码/model.py"), frozenset())
    assert found is not None and found[1].value == "代码.model:build_model"


@pytest.mark.parametrize(
    ("text", "checkpoints", "outputs"),
    [
        ('p.add_argument("--checkpoint-dir", default=Path("ck"))\np.add_argument("--out-dir", default="out")',
         "./ck", ["./out"]),
        ('torch.save(state, f"saves/step-{step}.pt")\ntorch.save(model.state_dict(), "model.pt")',
         "./saves", ["./model.pt"]),
        ('folder = Path("runs")\ntorch.save(state, folder / "last.pt")', None, ["./runs"]),
        ('TrainingArguments(output_dir="results", save_steps=100)', "./results", None),
        ('TrainingArguments(output_dir="ck")\ntrainer.save_model("final")', "./ck", ["./final"]),
        ('ModelCheckpoint(dirpath="ck")', "./ck", None),
        ('p.add_argument("--output-dir", default="/data/out")', None, None),
        ('p.add_argument("--output-dir", default="../out")', None, None),
        ('p.add_argument("--output-dir", default="s3://bucket/out")', None, None),
        ('p.add_argument("--output-dir", default="~/out")', None, None),
        ('model.save("net.keras")', None, ["./net.keras"]),
    ],
)  # fmt: skip
def test_folders_of_checkpoints_and_results(text: str, checkpoints: str | None, outputs: list[str] | None) -> None:
    found = saving.folders(code(text))
    assert (value(found.get("checkpoint.path")), value(found.get("outputs"))) == (checkpoints, outputs)


def test_adapters_and_fine_tuning_are_seen() -> None:
    tuned = code('model = AutoModel.from_pretrained("x", load_in_4bit=True)\nLoraConfig(r=16)')
    assert value(signs.adapter(tuned)) == "qlora:16"
    assert value(models.pretrained(tuned)) == "finetune"
    assert value(signs.adapter(code("LoraConfig(r=4)"))) == "lora:4"
    assert value(models.pretrained(code("timm.create_model('x', pretrained=False)"))) is None


def test_public_sets_tell_their_samples() -> None:
    assert value(signs.samples(code("datasets.CIFAR10('data', train=True)"))) == 50_000
    assert value(signs.samples(code("n_samples = 12\ndatasets.CIFAR10('data')"))) == 12


@pytest.mark.parametrize(
    ("text", "line"),
    [("x = 1\nprint 'old'", 2), ("def f(:\n", 1), ("a\0b", 1), ("(" * 3_000, 1), ("x = " + "-" * 100_000 + "1", 1)],
)
def test_what_is_not_python_is_told_with_its_line(text: str, line: int) -> None:
    assert read("train.py", text) == line


def test_reading_neither_runs_nor_warns(capsys: pytest.CaptureFixture[str]) -> None:
    code('print("I ran")\nassert ("always", "true")\nx = "\\d"')
    assert capsys.readouterr() == ("", "")
