"""CUDA's results of its device functions at edge inputs: what is asked, how it is recorded and how it is compared."""
