"""Compare programs as AMD code and for the CPU with what their CUDA originals printed on an NVIDIA GPU.

    python -m scripts.recorded_corpus.plan TREE... -o FOLDER           # anywhere: plan.json
    python scripts/recorded_corpus/record.py FOLDER                    # with nvcc and an NVIDIA GPU: outputs.json
    python -m scripts.recorded_corpus.compare FOLDER [--json FILE]     # builds the translations and runs them

`FOLDER` has the trees in `original` and `converted`. `scripts/corpus_outputs.py` says which differences count.
"""
