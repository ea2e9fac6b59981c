"""Fine-tunes a small causal language model by LoRA with Hugging Face's Trainer, and survives being preempted.

The text is made here: dates in words and as ISO 8601 writes them, letter by letter. The model is made from config.json
with random weights, so that nothing is downloaded; with a model of your own, from_pretrained stands in its place. What
is Tradewind's are the lines with `callback`.
"""

import argparse
import json
import os
import random
import sys
from datetime import date, timedelta
from pathlib import Path

try:
    import torch
    from peft import LoraConfig, PeftModel, get_peft_model
    from torch.utils.data import Dataset
    from transformers import AutoConfig, AutoModelForCausalLM, Trainer, TrainingArguments

    from tradewind.training.huggingface import TradewindCallback
except ModuleNotFoundError as missing:
    sys.exit(
        f"{missing.name} is not installed here. This example needs: pip install torch transformers accelerate peft"
    )

LENGTH = 40  # letters of one sample, filled up with blanks
SAMPLES, TEST_SAMPLES = 2_000, 200


class Dates(Dataset[dict[str, torch.Tensor]]):
    """Lines such as `Monday 4 March 2024 = 2024-03-04`: int64[LENGTH] of UTF-8 bytes."""

    def __init__(self, count: int, seed: int) -> None:
        chance = random.Random(seed)
        days = [date(1990, 1, 1) + timedelta(days=chance.randrange(20_000)) for _ in range(count)]
        self.lines = [f"{day:%A} {day.day} {day:%B} {day.year} = {day.isoformat()}" for day in days]

    def __len__(self) -> int:
        return len(self.lines)

    def __getitem__(self, index: int) -> dict[str, torch.Tensor]:
        letters = torch.tensor(list(self.lines[index].ljust(LENGTH).encode()))
        return {"input_ids": letters, "labels": letters}


def build_model() -> PeftModel:
    """The base of config.json, frozen, with adapters of rank 8 on every linear layer."""
    base = AutoModelForCausalLM.from_config(AutoConfig.from_pretrained(Path(__file__).parent))
    # A random base knows no letters: they are trained whole. A model that was trained before needs no modules_to_save.
    letters = ["embed_tokens", "lm_head"]
    adapters = LoraConfig(
        r=8, lora_alpha=16, target_modules="all-linear", modules_to_save=letters, task_type="CAUSAL_LM"
    )
    return get_peft_model(base, adapters)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--epochs", type=float, default=float(os.environ.get("EPOCHS", "2")))
    parser.add_argument("--batch-size", type=int, default=16)
    parser.add_argument("--lr", type=float, default=5e-3)
    args = parser.parse_args()

    callback = TradewindCallback()
    torch.set_num_threads(1)  # more threads would only wait for each other on a model this small
    torch.manual_seed(0)
    settings = TrainingArguments(
        output_dir=os.environ.get("TRADEWIND_CHECKPOINT_DIR", "checkpoints"),
        num_train_epochs=args.epochs,
        per_device_train_batch_size=args.batch_size,
        learning_rate=args.lr,
        optim="adamw_torch",
        logging_steps=25,
        save_strategy="steps",
        save_steps=50,
        save_total_limit=2,
        report_to=[],
        disable_tqdm=True,
        use_cpu=not torch.cuda.is_available(),
        seed=0,
    )
    trainer = Trainer(
        build_model(),
        settings,
        train_dataset=Dates(SAMPLES, seed=1),
        eval_dataset=Dates(TEST_SAMPLES, seed=2),
        callbacks=[callback],
    )
    trainer.train(resume_from_checkpoint=callback.latest())
    loss = trainer.evaluate()["eval_loss"]
    out = Path("out")
    trainer.save_model(str(out))
    (out / "metrics.json").write_text(json.dumps({"eval_loss": loss}) + "\n")
    print(f"loss on {TEST_SAMPLES} new dates {loss:.4f}", flush=True)


if __name__ == "__main__":
    main()
